import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 65,
  pages: [
    { path: '/webhooks', title: 'Webhooks', load: () => import('./webhooks.page.js') },
    { path: '/deliveries', title: 'Deliveries', load: () => import('./deliveries.page.js') },
  ],
} satisfies ConsoleArea;
