import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 42,
  pages: [
    { path: '/models', title: 'Models', load: () => import('./models.page.js') },
    { path: '/prices', title: 'Prices', load: () => import('./prices.page.js') },
  ],
} satisfies ConsoleArea;
