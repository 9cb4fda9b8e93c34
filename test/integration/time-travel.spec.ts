import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { type MongoDatabase, openMongoDatabase } from '#platform/mongodb/mongo-database.js';
import { openMongoReadStore } from '#platform/read-store/mongodb/mongodb-read-store.js';
import { pastStatesAreFolds } from '#platform/runtime/history/time-travel.contract.js';
import { areasWorld, stockWorld } from '../property/time-travel.fixture.js';
import { SuiteDatabases } from '../servers/mongodb/suite-databases.js';

describe('on MongoDB, a past state is the fold of the log up to it', () => {
  let databases: SuiteDatabases;
  const opened: { readonly url: string; readonly database: MongoDatabase }[] = [];

  beforeAll(async () => {
    databases = await SuiteDatabases.start();
  });

  afterAll(async () => {
    for (const { url, database } of opened) {
      await database.close();
      await databases.remove(url);
    }
    await databases.stop();
  });

  const openReadStore = async () => {
    const url = databases.newUrl();
    const database = await openMongoDatabase({ url });
    opened.push({ url, database });
    return openMongoReadStore({ database });
  };

  it('for documents that come and go', async () => {
    await pastStatesAreFolds({ ...stockWorld, openReadStore, numRuns: 10 });
  });

  it('for every projection of the areas', async () => {
    await pastStatesAreFolds({ ...(await areasWorld()), openReadStore, numRuns: 3 });
  });
});
