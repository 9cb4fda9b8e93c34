import { afterAll, beforeAll } from '@jest/globals';
import { answerStoreContract } from '#platform/idempotency/answer-store.contract.js';
import { openMongoAnswerStore } from '#platform/idempotency/mongodb/mongodb-answer-store.js';
import { type MongoDatabase, openMongoDatabase } from '#platform/mongodb/mongo-database.js';
import { SuiteDatabases } from '../servers/mongodb/suite-databases.js';

const encryptionKey = new Uint8Array(32).fill(3);

let databases: SuiteDatabases;

beforeAll(async () => {
  databases = await SuiteDatabases.start();
});

afterAll(() => databases.stop());

answerStoreContract('MongoDB', () => {
  const url = databases.newUrl();
  const opened: MongoDatabase[] = [];
  return Promise.resolve({
    open: async (clock, times) => {
      const database = await openMongoDatabase({ url });
      opened.push(database);
      return openMongoAnswerStore({ database, encryptionKey, clock, times });
    },
    remove: async () => {
      await Promise.all(opened.map((database) => database.close()));
      await databases.remove(url);
    },
  });
});
