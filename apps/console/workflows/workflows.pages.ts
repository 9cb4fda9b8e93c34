import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 22,
  pages: [
    { path: '/workflows', title: 'Workflows', load: () => import('./workflows.page.js') },
    { path: '/workflows/:id', title: 'Workflow', load: () => import('./workflow.page.js') },
    { path: '/runs', title: 'Runs', load: () => import('./runs.page.js') },
    { path: '/runs/:id', title: 'Run', load: () => import('./run.page.js') },
  ],
} satisfies ConsoleArea;
