import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 50,
  group: 'Privacy',
  pages: [
    {
      path: '/cleanrooms',
      title: 'Clean rooms',
      command: { words: 'cleanroom list', ofUser: true, options: { page: 'page' } },
      load: () => import('./cleanrooms.page.js'),
    },
    { path: '/cleanrooms/:id', title: 'Clean room', load: () => import('./cleanroom.page.js') },
    {
      path: '/cleanrooms/:cleanroom_uuid/spends',
      title: 'Spends of a clean room',
      load: () => import('./spends.page.js'),
    },
  ],
} satisfies ConsoleArea;
