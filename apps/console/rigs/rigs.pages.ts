import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 40,
  group: 'Machines',
  pages: [
    { path: '/rigs', title: 'Rigs', load: () => import('./rigs.page.js') },
    { path: '/rigs/:id', title: 'Rig', load: () => import('./rig.page.js') },
    {
      path: '/margin',
      title: 'Cost and price',
      roles: ['Admin'],
      load: () => import('./margin.page.js'),
    },
  ],
} satisfies ConsoleArea;
