import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 90,
  pages: [
    { path: '/ledger', title: 'Ledger health', load: () => import('./ledger.page.js') },
    { path: '/events', title: 'Events', load: () => import('./events.page.js') },
    { path: '/events/:position', title: 'Event', load: () => import('./event.page.js') },
    {
      path: '/causation/:request',
      title: 'Events of a request',
      load: () => import('./causation.page.js'),
    },
  ],
} satisfies ConsoleArea;
