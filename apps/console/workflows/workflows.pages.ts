import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 22,
  pages: [
    {
      path: '/workflows',
      title: 'Workflows',
      command: { words: 'workflows list', ofUser: true },
      load: () => import('./workflows.page.js'),
    },
    {
      path: '/workflows/:id',
      title: 'Workflow',
      command: { words: 'workflows show :id', ofUser: true, options: { version: 'at' } },
      load: () => import('./workflow.page.js'),
    },
    {
      path: '/runs',
      title: 'Runs',
      command: { words: 'workflows runs', ofUser: true, options: { after: 'after' } },
      load: () => import('./runs.page.js'),
    },
    { path: '/runs/:id', title: 'Run', load: () => import('./run.page.js') },
  ],
} satisfies ConsoleArea;
