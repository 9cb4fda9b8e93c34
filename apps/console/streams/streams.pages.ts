import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 30,
  pages: [{ path: '/streams', title: 'Media stream', load: () => import('./stream.page.js') }],
} satisfies ConsoleArea;
