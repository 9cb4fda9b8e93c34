import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 80,
  pages: [
    { path: '/partners', title: 'Partners', load: () => import('./partners.page.js') },
    { path: '/reseller', title: 'Reseller', load: () => import('./reseller.page.js') },
    {
      path: '/reseller/users',
      title: 'Users of a reseller',
      load: () => import('./users.page.js'),
    },
  ],
} satisfies ConsoleArea;
