import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 70,
  group: 'Space',
  pages: [
    { path: '/passes', title: 'Passes', load: () => import('./passes.page.js') },
    {
      path: '/stations',
      title: 'Stations',
      command: { words: 'orbit stations', options: { page: 'page' } },
      load: () => import('./stations.page.js'),
    },
    {
      path: '/satellites',
      title: 'Satellites',
      command: { words: 'orbit satellites', options: { page: 'page' } },
      load: () => import('./satellites.page.js'),
    },
  ],
} satisfies ConsoleArea;
