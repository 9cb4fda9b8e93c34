import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 60,
  group: 'Access',
  pages: [
    { path: '/keys', title: 'Keys', load: () => import('./keys.page.js') },
    { path: '/sessions', title: 'Sessions', load: () => import('./sessions.page.js') },
    { path: '/users', title: 'Users', roles: ['Admin'], load: () => import('./users.page.js') },
  ],
} satisfies ConsoleArea;
