import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 3,
  pages: [
    {
      path: '/spend',
      title: 'Spend',
      command: { words: 'spend', ofUser: true, options: { from: 'from', to: 'to', by: 'by' } },
      load: () => import('./spend.page.js'),
    },
    { path: '/what-if', title: 'What if', load: () => import('./what-if.page.js') },
  ],
} satisfies ConsoleArea;
