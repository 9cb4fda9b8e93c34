import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 2,
  pages: [
    { path: '/requests', title: 'Requests', load: () => import('./requests.page.js') },
    { path: '/requests/:id', title: 'Request', load: () => import('./request.page.js') },
  ],
} satisfies ConsoleArea;
