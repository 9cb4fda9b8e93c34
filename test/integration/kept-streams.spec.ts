import { afterAll, beforeAll } from '@jest/globals';
import { keptStreamsContract } from '#platform/kept-streams/kept-streams.contract.js';
import { type MongoDatabase, openMongoDatabase } from '#platform/mongodb/mongo-database.js';
import { openMongoReadStore } from '#platform/read-store/mongodb/mongodb-read-store.js';
import { SuiteDatabases } from '../servers/mongodb/suite-databases.js';

let databases: SuiteDatabases;

beforeAll(async () => {
  databases = await SuiteDatabases.start();
});

afterAll(() => databases.stop());

keptStreamsContract('MongoDB', () => {
  const url = databases.newUrl();
  let database: MongoDatabase | undefined;
  return Promise.resolve({
    open: async () => {
      database = await openMongoDatabase({ url });
      return openMongoReadStore({ database });
    },
    remove: async () => {
      await database?.close();
      await databases.remove(url);
    },
  });
});
