import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 82,
  pages: [
    {
      path: '/investments',
      title: 'Investments',
      roles: ['Investor', 'Admin'],
      command: { words: 'investor show', ofUser: true },
      load: () => import('./investments.page.js'),
    },
    {
      path: '/investments/revenue',
      title: 'Revenue of investments',
      roles: ['Investor', 'Admin'],
      load: () => import('./revenue.page.js'),
    },
  ],
} satisfies ConsoleArea;
