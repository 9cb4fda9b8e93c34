import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { openSqliteReadStore } from '#platform/read-store/sqlite/sqlite-read-store.js';
import { FaultyReadStore } from '#platform/runtime/faulty-stores.fake.js';
import { pastStatesAreFolds } from '#platform/runtime/history/time-travel.contract.js';
import { areasWorld, stockWorld } from './time-travel.fixture.js';

describe('a past state is the fold of the log up to it', () => {
  let folder = '';

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-time-travel-'));
  });

  afterAll(() => rm(folder, { recursive: true }));

  it('whatever commits fail', async () => {
    const openReadStore: Parameters<typeof pastStatesAreFolds>[0]['openReadStore'] = (faults) => {
      const store = new FaultyReadStore();
      store.commits.plan(...faults);
      return Promise.resolve(store);
    };
    await pastStatesAreFolds({ ...stockWorld, openReadStore, numRuns: 120 });
  });

  it('for every projection of the areas', async () => {
    let files = 0;
    const openReadStore = () => {
      files += 1;
      return openSqliteReadStore({ file: path.join(folder, `views-${files}.db`) });
    };
    await pastStatesAreFolds({ ...(await areasWorld()), openReadStore, numRuns: 15 });
  });
});
