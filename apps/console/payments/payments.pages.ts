import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 5,
  pages: [
    { path: '/payments/:id', title: 'Payment', load: () => import('./crypto-invoice.page.js') },
  ],
} satisfies ConsoleArea;
