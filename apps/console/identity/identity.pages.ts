import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 60,
  group: 'Access',
  pages: [
    {
      path: '/keys',
      title: 'Keys',
      command: { words: 'key list', ofUser: true },
      load: () => import('./keys.page.js'),
    },
    {
      path: '/sessions',
      title: 'Sessions',
      command: { words: 'user sessions', ofUser: true },
      load: () => import('./sessions.page.js'),
    },
    {
      path: '/users',
      title: 'Users',
      roles: ['Admin'],
      command: { words: 'user list', options: { page: 'page' } },
      load: () => import('./users.page.js'),
    },
  ],
} satisfies ConsoleArea;
