import { type ConsoleArea } from '../shell/page.js';

/** The command line names the end user by the hash of the list. */
const REQUEST_OPTIONS = {
  model: 'model',
  rig: 'rig',
  tag: 'tag',
  user: 'end-user',
  from: 'from',
  to: 'to',
  status: 'status',
  after: 'after',
};

export default {
  order: 2,
  pages: [
    {
      path: '/requests',
      title: 'Requests',
      command: { words: 'requests', ofUser: true, options: REQUEST_OPTIONS },
      load: () => import('./requests.page.js'),
    },
    {
      path: '/requests/:id',
      title: 'Request',
      command: { words: 'explain :id', ofUser: true },
      load: () => import('./request.page.js'),
    },
    {
      path: '/rejections',
      title: 'Rejected requests',
      load: () => import('./rejections.page.js'),
    },
    {
      path: '/rejections/:id',
      title: 'Rejected request',
      command: { words: 'explain :id', ofUser: true },
      load: () => import('./rejection.page.js'),
    },
  ],
} satisfies ConsoleArea;
