import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 24,
  pages: [
    {
      path: '/agents',
      title: 'Agents',
      command: { words: 'agents list', ofUser: true, options: { after: 'after' } },
      load: () => import('./agents.page.js'),
    },
    {
      path: '/agents/:id',
      title: 'Session of an agent',
      command: { words: 'agents show :id' },
      load: () => import('./agent.page.js'),
    },
  ],
} satisfies ConsoleArea;
