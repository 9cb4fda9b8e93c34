import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 40,
  group: 'Machines',
  pages: [
    {
      path: '/rigs',
      title: 'Rigs',
      command: { words: 'rigs list' },
      load: () => import('./rigs.page.js'),
    },
    { path: '/rigs/:id', title: 'Rig', load: () => import('./rig.page.js') },
    {
      path: '/routing',
      title: 'Routing',
      roles: ['Admin'],
      load: () => import('./routing.page.js'),
    },
    {
      path: '/margin',
      title: 'Cost and price',
      roles: ['Admin'],
      command: {
        words: 'margin',
        options: { from: 'from', to: 'to', by: 'by', account: 'account', rig: 'rig' },
      },
      load: () => import('./margin.page.js'),
    },
  ],
} satisfies ConsoleArea;
