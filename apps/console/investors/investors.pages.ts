import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 82,
  pages: [
    { path: '/investments', title: 'Investments', load: () => import('./investments.page.js') },
    {
      path: '/investments/revenue',
      title: 'Revenue of investments',
      load: () => import('./revenue.page.js'),
    },
  ],
} satisfies ConsoleArea;
