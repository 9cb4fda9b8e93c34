import {
  type ProcessCalls,
  type ProjectorCalls,
} from '#platform/runtime/projector/projector.protocol.js';
import { portOfThread } from '#platform/threads/request-listener.js';
import { ThreadCalls } from '#platform/threads/thread-calls.js';

/** A projector without stores: it ends where a spec wants it to. */
const calls = new ThreadCalls<ProcessCalls, ProjectorCalls>(portOfThread(), {
  begin: async () => {
    if (process.env['FIXTURE_REFUSES'] === '1') throw new Error('views.db is no read store');
    calls.tell('log', JSON.stringify({ level: 30, time: 1, msg: 'begun', lines: 1 }));
    const message = { key: 'k', id: 'id', headers: {}, data: {} };
    await calls.call('publish', { topic: 'topic', messages: [message] });
  },
  reach: ({ position }) => Promise.resolve({ reached: true, position }),
  reload: () => process.exit(3),
  stop: () => Promise.resolve(),
});
