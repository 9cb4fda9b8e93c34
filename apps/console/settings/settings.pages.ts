import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 66,
  pages: [{ path: '/settings', title: 'Settings', load: () => import('./settings.page.js') }],
} satisfies ConsoleArea;
