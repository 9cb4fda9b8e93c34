import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 42,
  pages: [
    { path: '/models', title: 'Models', load: () => import('./models.page.js') },
    { path: '/prices', title: 'Prices', load: () => import('./prices.page.js') },
    {
      path: '/price-proposals',
      title: 'Price proposals',
      roles: ['Admin'],
      load: () => import('./proposals.page.js'),
    },
  ],
} satisfies ConsoleArea;
