import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openSqliteReadStore } from '#platform/read-store/sqlite/sqlite-read-store.js';
import { keptStreamsContract } from './kept-streams.contract.js';

keptStreamsContract('SQLite', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'quipu-kept-streams-'));
  return {
    open: () => openSqliteReadStore({ file: path.join(folder, 'views.db') }),
    remove: () => rm(folder, { recursive: true }),
  };
});
