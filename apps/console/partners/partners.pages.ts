import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 80,
  group: 'Earnings',
  pages: [
    {
      path: '/partners',
      title: 'Partners',
      roles: ['Admin'],
      command: { words: 'partner list', options: { page: 'page' } },
      load: () => import('./partners.page.js'),
    },
    {
      path: '/reseller',
      title: 'Reseller',
      roles: ['Partner', 'Admin'],
      load: () => import('./reseller.page.js'),
    },
    {
      path: '/reseller/users',
      title: 'Users of a reseller',
      roles: ['Partner', 'Admin'],
      load: () => import('./users.page.js'),
    },
  ],
} satisfies ConsoleArea;
