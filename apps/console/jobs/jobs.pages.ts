import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 20,
  pages: [
    {
      path: '/jobs',
      title: 'Jobs',
      command: {
        words: 'jobs list',
        ofUser: true,
        options: { type: 'type', state: 'state', after: 'after' },
      },
      load: () => import('./jobs.page.js'),
    },
    {
      path: '/jobs/:id',
      title: 'Job',
      command: { words: 'jobs show :id' },
      load: () => import('./job.page.js'),
    },
    { path: '/batches', title: 'Batches', load: () => import('./batches.page.js') },
  ],
} satisfies ConsoleArea;
