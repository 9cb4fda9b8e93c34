import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 72,
  pages: [
    {
      path: '/contacts',
      title: 'Contact plan',
      command: { words: 'dtn plan' },
      load: () => import('./contacts.page.js'),
    },
    {
      path: '/bundles',
      title: 'Bundles',
      command: { words: 'dtn bundles', ofUser: true, options: { page: 'page' } },
      load: () => import('./bundles.page.js'),
    },
    { path: '/bundles/:id', title: 'Bundle', load: () => import('./bundle.page.js') },
  ],
} satisfies ConsoleArea;
