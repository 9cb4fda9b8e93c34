import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 70,
  group: 'Space',
  pages: [
    { path: '/passes', title: 'Passes', load: () => import('./passes.page.js') },
    { path: '/stations', title: 'Stations', load: () => import('./stations.page.js') },
    { path: '/satellites', title: 'Satellites', load: () => import('./satellites.page.js') },
  ],
} satisfies ConsoleArea;
