import { afterAll, beforeAll } from '@jest/globals';
import { checkpointStoreContract } from '#platform/audit/checkpoint-store.contract.js';
import { MongoCheckpointStore } from '#platform/audit/mongodb/mongodb-checkpoint-store.js';
import { openMongoDatabase } from '#platform/mongodb/mongo-database.js';
import { SuiteDatabases } from '../servers/mongodb/suite-databases.js';

let databases: SuiteDatabases;

beforeAll(async () => {
  databases = await SuiteDatabases.start();
});
afterAll(() => databases.stop());

checkpointStoreContract('MongoDB', async () => {
  const url = databases.newUrl();
  const opened = await Promise.all([openMongoDatabase({ url }), openMongoDatabase({ url })]);
  const [one, other] = opened;
  return {
    one: new MongoCheckpointStore(one),
    other: new MongoCheckpointStore(other),
    dispose: async () => {
      await Promise.all(opened.map((database) => database.close()));
      await databases.remove(url);
    },
  };
});
