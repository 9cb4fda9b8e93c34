import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 18,
  group: 'Work',
  pages: [{ path: '/playground', title: 'Playground', load: () => import('./playground.page.js') }],
} satisfies ConsoleArea;
