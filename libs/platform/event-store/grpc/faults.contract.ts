import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { counted, readLog } from '../event-store.fixture.js';
import {
  append,
  collect,
  type Connect,
  failureOf,
  numbersIn,
  type StreamsClient,
  untilCaughtUp,
} from './clients.fixture.js';
import { openServedTestLog, type ServedTestLog } from './served-log.fixture.js';

/** A client receives the faults that tests inject; the server survives them. */
export const faultsContract = (name: string, connect: Connect): void =>
  describe(`faults, as ${name} sees them`, () => {
    let log: ServedTestLog;
    let client: StreamsClient;

    beforeEach(async () => {
      log = await openServedTestLog();
      client = connect(`${log.address}?tls=false`);
      await append(client, 'job-1', counted(1), 'no-stream');
    });

    afterEach(async () => {
      await client.dispose();
      await log.dispose();
    });

    it('loses a request: nothing was appended, and a repeat lands once', async () => {
      const given = counted(1, 1);
      log.faulty.failNext({ kind: 'lost-request' });
      const error = await failureOf(append(client, 'job-1', given, 0n));
      expect(error['type']).toMatch(/^(unavailable|cancelled|unknown)$/);
      expect(await readLog(log.direct)).toHaveLength(1);
      await append(client, 'job-1', given, 0n);
      expect(await readLog(log.direct)).toHaveLength(2);
    });

    it('loses an answer: it was appended, and a repeat says so', async () => {
      const given = counted(1, 1);
      log.faulty.failNext({ kind: 'lost-answer' });
      const error = await failureOf(append(client, 'job-1', given, 0n));
      expect(error['type']).toMatch(/^(unavailable|cancelled|unknown)$/);
      const again = await append(client, 'job-1', given, 0n);
      expect(again.nextExpectedRevision).toBe(1n);
      expect(await readLog(log.direct)).toHaveLength(2);
    });

    it('holds an append back until it is released', async () => {
      log.faulty.failNext({ kind: 'held' });
      let settled = false;
      const held = append(client, 'job-1', counted(1, 1), 0n).finally(() => (settled = true));
      await append(client, 'job-2', counted(1), 'no-stream');
      expect(settled).toBe(false);
      log.faulty.release();
      expect(await held).toMatchObject({ nextExpectedRevision: 1n });
    });

    it('sends a client to the leader', async () => {
      const leader = await openServedTestLog();
      log.faulty.failNext({ kind: 'not-leader', host: '127.0.0.1', port: leader.port });
      const error = await failureOf(append(client, 'job-2', counted(1), 'no-stream'));
      expect(error).toMatchObject({
        type: 'not-leader',
        leader: { address: '127.0.0.1', port: leader.port },
      });
      await append(client, 'job-2', counted(1), 'no-stream');
      expect(await readLog(leader.direct)).toHaveLength(1);
      await leader.dispose();
    });

    it('stalls readings without losing any', async () => {
      log.faulty.stallReads();
      let done = false;
      const reading = collect(client.readStream('job-1')).finally(() => (done = true));
      await sleep(200);
      expect(done).toBe(false);
      log.faulty.thawReads();
      expect(numbersIn(await reading)).toEqual([0]);
    });

    it('ends subscriptions when connections drop, and takes new ones', async () => {
      const subscription = client.subscribeToAll();
      await untilCaughtUp(subscription);
      subscription.removeAllListeners('error');
      const failed = once(subscription, 'error').catch((error: unknown) => [error]);
      log.dropConnections();
      const [error] = (await failed) as [{ type: string }];
      expect(error.type).toMatch(/^(unavailable|cancelled|unknown)$/);
      const next = client.subscribeToAll();
      expect(numbersIn(await untilCaughtUp(next))).toEqual([0]);
      await next.unsubscribe();
    });

    it('comes back on the same port with all that was acknowledged', async () => {
      await log.kill();
      expect(await failureOf(append(client, 'job-1', counted(1, 1), 0n))).toMatchObject({
        code: status.UNAVAILABLE,
      });
      await log.restart();
      await append(client, 'job-1', counted(1, 1), 0n);
      expect(numbersIn(await collect(client.readStream('job-1')))).toEqual([0, 1]);
    });
  });
