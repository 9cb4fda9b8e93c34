import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import { StoreUnavailableError } from '../event-store.errors.js';
import { counted, readLog } from '../event-store.fixture.js';
import { AUTHORITY, CERTIFICATE, KEY } from '../grpc/certificate.fixture.js';
import { Laboratory } from './laboratory.fixture.js';

const TIMEOUTS = { attemptMs: 1_000, settleMs: 500, outageMs: 500 };

/** The options of an address: TLS, credentials, the nodes of a cluster. */
export const understandsAddresses = (scheme: string): void => {
  const laboratory = new Laboratory();
  let folder = '';

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-authority-'));
    await writeFile(path.join(folder, 'ca.pem'), AUTHORITY);
  });

  afterEach(() => rm(folder, { recursive: true }));

  const openSecure = async (credentials: string) => {
    const log = await laboratory.openLog({
      kind: 'tls',
      certificate: Buffer.from(CERTIFICATE),
      key: Buffer.from(KEY),
      authenticate: (username, password) =>
        Promise.resolve(username === 'admin' && password === 'sk-svc-1/+'),
    });
    const authority = encodeURIComponent(path.join(folder, 'ca.pem'));
    const url = `${scheme}://${credentials}localhost:${log.port}?tls=true&tlsCAFile=${authority}`;
    return laboratory.openStore(url, TIMEOUTS);
  };

  describe('with TLS', () => {
    it('shows its credentials with every call', async () => {
      const store = await openSecure(`admin:${encodeURIComponent('sk-svc-1/+')}@`);
      expect(await store.health()).toEqual({ writable: true, reason: null });
      await store.append('job-1', counted(1), 'no-stream');
      expect(await readLog(store)).toHaveLength(1);
    });

    it.each(['', 'admin:wrong@'])('says that access is denied to "%s"', async (credentials) => {
      const store = await openSecure(credentials);
      expect(await store.health()).toMatchObject({ writable: false });
      const append = store.append('job-1', counted(1), 'no-stream');
      await expect(append).rejects.toThrow(StoreUnavailableError);
    });
  });

  it('finds the leader by gossip', async () => {
    const log = await laboratory.openLog();
    const store = await laboratory.openStore(`${scheme}+discover://${log.address}?tls=false`);
    await store.append('job-1', counted(1), 'no-stream');
    expect(await readLog(store)).toHaveLength(1);
  });

  it('finds it again when it was not there at first', async () => {
    const log = await laboratory.openLog();
    await log.kill();
    const url = `${scheme}+discover://${log.address}?tls=false&maxDiscoverAttempts=2`;
    const store = await laboratory.openStore(url, TIMEOUTS);
    expect((await store.health()).writable).toBe(false);
    await log.restart();
    await eventually(async () => (await store.health()).writable);
    await store.append('job-1', counted(1), 'no-stream');
  });
};
