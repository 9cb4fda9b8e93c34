import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 44,
  pages: [
    { path: '/rentals', title: 'Rentals', load: () => import('./rentals.page.js') },
    { path: '/rentals/:id', title: 'Rental', load: () => import('./rental.page.js') },
  ],
} satisfies ConsoleArea;
