import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 90,
  group: 'Ledger',
  pages: [
    {
      path: '/ledger',
      title: 'Ledger health',
      roles: ['Admin'],
      load: () => import('./ledger.page.js'),
    },
    { path: '/events', title: 'Events', roles: ['Admin'], load: () => import('./events.page.js') },
    {
      path: '/events/:position',
      title: 'Event',
      roles: ['Admin'],
      load: () => import('./event.page.js'),
    },
    {
      path: '/causation/:request',
      title: 'Events of a request',
      load: () => import('./causation.page.js'),
    },
  ],
} satisfies ConsoleArea;
