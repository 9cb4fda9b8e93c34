import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 84,
  pages: [
    {
      path: '/payouts',
      title: 'Payouts',
      roles: ['Partner', 'Investor', 'Admin'],
      command: {
        words: 'payout list',
        options: { beneficiary: 'beneficiary', page: 'page' },
        needs: 'beneficiary',
      },
      load: () => import('./payouts.page.js'),
    },
  ],
} satisfies ConsoleArea;
