import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { answerStoreContract } from '#platform/idempotency/answer-store.contract.js';
import { ANSWER_TIMES } from '#platform/idempotency/answer-store.port.js';
import { openMongoAnswerStore } from '#platform/idempotency/mongodb/mongodb-answer-store.js';
import { type MongoDatabase, openMongoDatabase } from '#platform/mongodb/mongo-database.js';
import { eventually } from '../end-to-end/quipu.harness.js';
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
    open: async (clock, times, log) => {
      const database = await openMongoDatabase({ url });
      opened.push(database);
      return openMongoAnswerStore({ database, encryptionKey, clock, times, log });
    },
    remove: async () => {
      await Promise.all(opened.map((database) => database.close()));
      await databases.remove(url);
    },
  });
});

describe('a gateway on MongoDB', () => {
  const times = { ...ANSWER_TIMES, leaseMs: 1_500, heartbeatMs: 300 };
  const free = () => Promise.resolve('free' as const);
  const request = { scope: 'account:7', key: 'k', body: new Uint8Array() };

  it('renews its running keys; after a kill they are free when the lease ends', async () => {
    const url = databases.newUrl();
    const [lost, other] = await Promise.all([
      openMongoDatabase({ url }),
      openMongoDatabase({ url }),
    ]);
    const dying = await openMongoAnswerStore({ database: lost, encryptionKey, times });
    const answers = await openMongoAnswerStore({ database: other, encryptionKey, times });
    const started = await dying.admit({ ...request, attempt: 'first' }, free);
    if (started.outcome !== 'started') throw new Error(`it was ${started.outcome}`);
    const retry = async () => (await answers.admit({ ...request, attempt: 'retry' }, free)).outcome;
    const untilMs = Date.now() + 2 * times.leaseMs;
    while (Date.now() < untilMs) {
      expect(await retry()).toBe('running');
      await new Promise((resolve) => setTimeout(resolve, times.heartbeatMs));
    }
    // Stops renewals as a kill does, without releasing the key.
    await lost.close();
    const killedAtMs = Date.now();
    await eventually(async () => (await retry()) === 'started');
    expect(Date.now() - killedAtMs).toBeLessThan(2 * times.leaseMs);
    await dying.close();
    await answers.close();
    await other.close();
    await databases.remove(url);
  });
});
