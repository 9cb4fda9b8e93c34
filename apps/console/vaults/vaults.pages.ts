import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 52,
  pages: [
    {
      path: '/vaults',
      title: 'Vaults',
      command: { words: 'vault list', ofUser: true, options: { page: 'page' } },
      load: () => import('./vaults.page.js'),
    },
    { path: '/vaults/:id', title: 'Vault', load: () => import('./vault.page.js') },
  ],
} satisfies ConsoleArea;
