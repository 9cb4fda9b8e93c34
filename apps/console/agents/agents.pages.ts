import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 24,
  pages: [
    { path: '/agents', title: 'Agents', load: () => import('./agents.page.js') },
    { path: '/agents/:id', title: 'Session of an agent', load: () => import('./agent.page.js') },
  ],
} satisfies ConsoleArea;
