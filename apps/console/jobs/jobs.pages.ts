import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 20,
  pages: [
    { path: '/jobs', title: 'Jobs', load: () => import('./jobs.page.js') },
    { path: '/jobs/:id', title: 'Job', load: () => import('./job.page.js') },
    { path: '/batches', title: 'Batches', load: () => import('./batches.page.js') },
  ],
} satisfies ConsoleArea;
