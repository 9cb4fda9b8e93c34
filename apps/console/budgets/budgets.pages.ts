import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 4,
  pages: [
    {
      path: '/budgets',
      title: 'Budgets',
      command: { words: 'budget show', ofUser: true },
      load: () => import('./budgets.page.js'),
    },
  ],
} satisfies ConsoleArea;
