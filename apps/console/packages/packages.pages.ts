import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 28,
  pages: [{ path: '/packages', title: 'Packages', load: () => import('./packages.page.js') }],
} satisfies ConsoleArea;
