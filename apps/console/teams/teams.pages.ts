import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 61,
  pages: [
    {
      path: '/teams',
      title: 'Teams',
      command: { words: 'team list', ofUser: true },
      load: () => import('./teams.page.js'),
    },
    { path: '/teams/:team_id', title: 'A team', load: () => import('./team.page.js') },
  ],
} satisfies ConsoleArea;
