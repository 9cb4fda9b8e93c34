import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { counted, readLog } from '../event-store.fixture.js';
import { AUTHORITY, CERTIFICATE, KEY } from './certificate.fixture.js';
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

const API_KEY = 'qk-test-key';

/** Basic credentials over TLS, as an official client sends them. */
export const credentialsContract = (name: string, connect: Connect): void =>
  describe(`credentials over TLS, from ${name}`, () => {
    let folder: string;
    let log: ServedTestLog;
    let admitted: boolean;
    let asked: number;
    const clients: StreamsClient[] = [];

    const client = (credential: string): StreamsClient => {
      const authority = path.join(folder, 'authority.pem');
      const opened = connect(`${credential}${log.address}?tlsCAFile=${authority}`);
      clients.push(opened);
      return opened;
    };

    beforeEach(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'quipu-tls-'));
      await writeFile(path.join(folder, 'authority.pem'), AUTHORITY);
      admitted = true;
      asked = 0;
      log = await openServedTestLog({
        kind: 'tls',
        certificate: Buffer.from(CERTIFICATE),
        key: Buffer.from(KEY),
        authenticate: (username, password) => {
          asked += 1;
          return Promise.resolve(admitted && username === 'admin' && password === API_KEY);
        },
      });
    });

    afterEach(async () => {
      await Promise.all(clients.splice(0).map((opened) => opened.dispose()));
      await log.dispose();
      await rm(folder, { recursive: true });
    });

    it('serves an Admin', async () => {
      const admin = client(`admin:${API_KEY}@`);
      await append(admin, 'job-1', counted(1), 'no-stream');
      const credentials = { username: 'admin', password: API_KEY };
      await append(admin, 'job-1', counted(1, 1), 0n, { credentials });
      expect(numbersIn(await collect(admin.readStream('job-1')))).toEqual([0, 1]);
      const subscription = admin.subscribeToAll();
      expect(numbersIn(await untilCaughtUp(subscription))).toEqual([0, 1]);
      await subscription.unsubscribe();
    });

    it.each([
      ['a wrong key', 'admin:wrong@'],
      ['another name', `operator:${API_KEY}@`],
      ['no credentials', ''],
    ])('rejects %s', async (_case, credential) => {
      await log.direct.append('job-1', counted(1), 'no-stream');
      const anonymous = client(credential);
      const attempts = [
        () => append(anonymous, 'job-1', counted(1), 'any'),
        () => collect(anonymous.readStream('job-1')),
        () => collect(anonymous.readAll()),
        () => untilCaughtUp(anonymous.subscribeToAll()),
        () => anonymous.deleteStream('job-1'),
      ];
      for (const attempt of attempts) {
        expect(await failureOf(attempt())).toMatchObject({ type: 'access-denied' });
      }
      expect(await readLog(log.direct)).toHaveLength(1);
    });

    it('asks once about many calls at a time', async () => {
      const admin = client(`admin:${API_KEY}@`);
      const credentials = { username: 'admin', password: API_KEY };
      const appends = Array.from({ length: 50 }, (_, index) =>
        append(admin, `job-${index}`, counted(1), 'no-stream', { credentials }),
      );
      await Promise.all(appends);
      expect(asked).toBeLessThanOrEqual(2);
    });

    it('ends what is open when the key is revoked, within a second', async () => {
      const admin = client(`admin:${API_KEY}@`);
      await append(admin, 'job-1', counted(1), 'no-stream');
      const subscription = admin.subscribeToAll();
      await untilCaughtUp(subscription);
      subscription.removeAllListeners('error');
      const ended = once(subscription, 'error').catch((error: unknown) => [error]);
      admitted = false;
      const revokedAt = Date.now();
      const [error] = (await ended) as [unknown];
      expect(error).toMatchObject({ type: 'access-denied' });
      expect(Date.now() - revokedAt).toBeLessThan(1_200);
      // Every open call has its own checks; the checks of the appends have ended by now, too.
      await sleep(Math.max(0, revokedAt + 1_100 - Date.now()));
      expect(await failureOf(append(admin, 'job-1', counted(1), 0n))).toMatchObject({
        type: 'access-denied',
      });
      expect(await readLog(log.direct)).toHaveLength(1);
    });
  });
