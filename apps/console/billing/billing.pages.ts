import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 1,
  pages: [
    { path: '/', title: 'Home', load: () => import('./home.page.js') },
    { path: '/invoices', title: 'Invoices', load: () => import('./invoices.page.js') },
    {
      path: '/invoice-details',
      title: 'Parties of invoices',
      load: () => import('./invoice-details.page.js'),
    },
    { path: '/invoices/:month', title: 'Statement', load: () => import('./statement.page.js') },
  ],
} satisfies ConsoleArea;
