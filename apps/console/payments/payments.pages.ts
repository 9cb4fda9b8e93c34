import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 5,
  pages: [
    {
      path: '/payments',
      title: 'Crypto invoices',
      load: () => import('./crypto-invoices.page.js'),
    },
    { path: '/payments/:id', title: 'Payment', load: () => import('./crypto-invoice.page.js') },
  ],
} satisfies ConsoleArea;
