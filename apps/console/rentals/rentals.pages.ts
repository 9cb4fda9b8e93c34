import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 44,
  pages: [
    {
      path: '/rentals',
      title: 'Rentals',
      command: { words: 'rentals list', ofUser: true, options: { after: 'after' } },
      load: () => import('./rentals.page.js'),
    },
    {
      path: '/rentals/:id',
      title: 'Rental',
      command: { words: 'rentals show :id' },
      load: () => import('./rental.page.js'),
    },
  ],
} satisfies ConsoleArea;
