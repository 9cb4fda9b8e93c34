import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 3,
  pages: [{ path: '/spend', title: 'Spend', load: () => import('./spend.page.js') }],
} satisfies ConsoleArea;
