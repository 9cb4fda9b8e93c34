import { createPublicKey, type KeyObject, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { packageRootEvents } from '#events/packages/package.events.js';
import { encodeVerifierKey, NoteSigner } from '#platform/audit/signed-note.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { EventCodec } from '#platform/runtime/commands/event-codec.js';
import { deriveKey } from '#platform/secrets/derived-key.js';
import { privateKeyOf } from '#platform/secrets/ed25519.js';
import { type PackagingLog } from '../packaging-log.port.js';
import { PackageKeys } from './package-keys.js';
import { keyIdOf, type SignedRoot, withSignature } from './root-metadata.js';

const DAY_MS = 86_400_000;
const START = Date.parse('2026-11-25T10:00:00.000Z');
const MASTER = Buffer.alloc(32, 7);
const LOG_KEY = encodeVerifierKey(new NoteSigner('quipu.test/log', Buffer.alloc(32, 9)).key);
const log = { key: () => LOG_KEY } as unknown as PackagingLog;
const offline: readonly KeyObject[] = [1, 2, 3].map((seed) => privateKeyOf(Buffer.alloc(32, seed)));

describe('the keys of packages', () => {
  let folder: string;
  let eventStore: EventStore;
  let keys: PackageKeys;
  let nowMs: number;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-keys-'));
    eventStore = await openSqliteEventStore({ file: path.join(folder, 'events.db') });
    nowMs = START;
    const secrets = { key: (purpose: string) => deriveKey(MASTER, purpose) };
    const codec = new EventCodec(packageRootEvents);
    keys = new PackageKeys(log, secrets, { now: () => nowMs }, eventStore, codec);
  });

  afterEach(async () => {
    await eventStore.close();
    await rm(folder, { recursive: true });
  });

  const context = () => contextOf(randomUUID(), 'cli');
  const versions = async () => (await keys.published()).map(({ signed }) => signed.version);
  const signedOffline = (root: SignedRoot, ...signers: readonly number[]): SignedRoot =>
    signers.reduce((signed, index) => {
      const key = offline[index];
      return key ? withSignature(signed, key, keyIdOf(createPublicKey(key))) : signed;
    }, root);

  /** Two of three keys that are kept elsewhere sign from then on. */
  const handOver = async (): Promise<void> => {
    await keys.inForce();
    const rootKeys = { keys: offline.map((key) => createPublicKey(key)), threshold: 2 };
    const next = await keys.signed(await keys.next({ rotates: false, rootKeys }));
    await keys.publish(signedOffline(next, 0, 2), context());
  };

  it('begin with a root of the installation, and renew it before its end', async () => {
    expect((await keys.inForce()).map(({ signed }) => signed.version)).toEqual([1]);
    nowMs = START + 300 * DAY_MS;
    await keys.inForce();
    expect(await versions()).toEqual([1]);
    nowMs = START + 340 * DAY_MS;
    const [, second] = await keys.inForce();
    expect(second?.signed).toMatchObject({ version: 2, generation: 1 });
    expect(Date.parse(String(second?.signed.expires))).toBe(nowMs + 365 * DAY_MS);
  });

  it('are new after a rotation, and the old root still has the old ones', async () => {
    const [first] = await keys.inForce();
    const next = await keys.signed(await keys.next({ rotates: true, rootKeys: null }));
    await keys.publish(next, context());
    const [old, rotated] = await keys.inForce();
    if (!first || !old || !rotated) throw new Error('two roots are published');
    expect(keys.signerOf(rotated.signed, 'seal').id).not.toBe(keys.signerOf(old.signed, 'seal').id);
    expect(keys.signerOf(old.signed, 'licence').id).toBe(first.signed.roles.licence.keyids[0]);
  });

  it('are in the hands of a threshold once the role was handed over', async () => {
    await handOver();
    expect(await versions()).toEqual([1, 2]);
    const next = await keys.signed(await keys.next({ rotates: true, rootKeys: null }));
    const one = keys.publish(signedOffline(next, 1), context());
    await expect(one).rejects.toMatchObject({ code: 'package_root_invalid' });
    await keys.publish(signedOffline(next, 1, 2), context());
    expect(await versions()).toEqual([1, 2, 3]);
  });

  it('end with a root that the installation may not renew', async () => {
    await handOver();
    nowMs = START + 340 * DAY_MS;
    expect(await keys.inForce()).toHaveLength(2);
    nowMs = START + 366 * DAY_MS;
    await expect(keys.inForce()).rejects.toMatchObject({ code: 'package_root_expired' });
  });

  it('do not follow a root of another version', async () => {
    await keys.inForce();
    const next = await keys.next({ rotates: false, rootKeys: null });
    const later = await keys.signed({ ...next, signed: { ...next.signed, version: 3 } });
    const publishing = keys.publish(later, context());
    await expect(publishing).rejects.toMatchObject({ code: 'package_root_invalid' });
  });
});
