import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 54,
  pages: [
    { path: '/proofs', title: 'Proofs', load: () => import('./snapshot.page.js') },
    { path: '/proof-keys', title: 'Keys of proofs', load: () => import('./proof-keys.page.js') },
  ],
} satisfies ConsoleArea;
