import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 54,
  pages: [
    { path: '/proofs', title: 'Proofs', load: () => import('./snapshot.page.js') },
    {
      path: '/proof-keys',
      title: 'Keys of proofs',
      command: { words: 'proof-key list', options: { page: 'page' } },
      load: () => import('./proof-keys.page.js'),
    },
  ],
} satisfies ConsoleArea;
