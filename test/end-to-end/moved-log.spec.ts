import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { verifyBill } from '#areas/audit/bill/verify-bill.js';
import { parseCheckpoint, verifyCheckpoint } from '#platform/audit/checkpoint.js';
import { isConsistent, isIncluded, leafHashOf } from '#platform/audit/merkle.js';
import { parseNote, parseVerifierKey } from '#platform/audit/signed-note.js';
import { parseProof } from '#platform/audit/tlog-proof.js';
import { counted } from '#platform/event-store/event-store.fixture.js';
import { openEventStoreDb } from '#platform/event-store/eventstoredb/eventstoredb-event-store.js';
import { startEventStoreNode } from '../servers/event-store/event-store.server.js';
import { type TestServer } from '../servers/test-server.js';
import { CommandLine } from './command-line.fixture.js';
import { answering, chatRequest, eventually, startWorld, type World } from './quipu.harness.js';

const CLI = path.resolve(import.meta.dirname, '../../bundle/apps/cli/main.js');
const PREFIX = 'moved';
const LANES = 4;
const KILLS = 2;
/** A copy has started by then, and copies. */
const KILLED_AFTER_MS = 1_500;
const COPIED_MS_MAX = 60_000;
const FOLLOWS = 'The copy follows the log';
const MONTH = new Date().toISOString().slice(0, 7);

interface AuditedEvent {
  readonly leaf: number;
  readonly position: string;
  readonly encoding: string;
  readonly proof: string;
}

/** The place of an event, the same wherever the log is stored, and its bytes. */
const placeOf = ({ leaf, position, encoding }: AuditedEvent) => ({ leaf, position, encoding });

interface Overview {
  readonly balance_usd: number;
  readonly position: string;
}

interface Receipt {
  readonly verifier_key: string;
  readonly events: readonly AuditedEvent[];
}

describe('an installation whose log moves to a server and back', () => {
  let world: World;
  let node: TestServer;
  let receipt: Receipt;
  let bill: Buffer;
  let checkpoint: string;
  let before: Overview;
  let receiptId: string | null;
  /** Requests that were charged so far. */
  let charged = 2;

  const authorized = () => ({ authorization: `Bearer ${world.credentials.api_key}` });
  const get = (route: string) => request(world.quipu.url).get(route).set(authorized());
  const file = (name: string): string => path.join(world.home, name);
  const served = () => node.url.replace(/^esdb/, 'kurrentdb');

  const ask = (key: string): Promise<Response> =>
    fetch(`${world.quipu.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key, ...authorized() },
      body: JSON.stringify(chatRequest()),
    });

  /** Readers of a new place may be behind for a moment, and requests are refused until then. */
  const untilCharged = (key: string) => eventually(async () => (await ask(key)).status === 200);

  const download = async (route: string): Promise<Buffer> => {
    const response = await fetch(`${world.quipu.url}${route}`, { headers: authorized() });
    expect(response.status).toBe(200);
    return Buffer.from(await response.arrayBuffer());
  };

  const charges = async (): Promise<number> =>
    (await world.events()).filter(({ type }) => type === 'HoldCaptured').length;

  const overview = async (asOf?: string): Promise<Overview> => {
    const query = asOf === undefined ? '' : `?asOf=${asOf}`;
    const { body } = await get(`/api/v1/billing/overview.php${query}`).expect(200);
    return body as Overview;
  };

  const quipu = async (...words: readonly string[]) => {
    const child = spawn(process.execPath, [CLI, ...words, '--json'], { env: process.env });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    await once(child, 'close');
    return JSON.parse(stdout) as Record<string, unknown>;
  };

  /** Asks without a pause until it is ended; resolves to the keys that were answered. */
  const load = (name: string) => {
    const keys: string[] = [];
    let isOver = false;
    const lane = async (number: number): Promise<void> => {
      for (let asked = 0; !isOver; asked += 1) {
        const key = `${name}-${number}-${asked}`;
        if ((await ask(key)).status === 200) keys.push(key);
      }
    };
    const lanes = Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)));
    return async (): Promise<readonly string[]> => {
      isOver = true;
      await lanes;
      return keys;
    };
  };

  /**
   * Copies while Quipu charges and the copy is killed, and ends when Quipu has stopped.
   * @returns the keys of the charged requests
   */
  const copyUnderLoad = async (name: string, ...words: readonly string[]) => {
    const end = load(name);
    const start = () =>
      spawn(process.execPath, [CLI, 'log', 'copy', ...words, '--follow', '--json']);
    for (let kills = 0; kills < KILLS; kills += 1) {
      const killed = start();
      await sleep(KILLED_AFTER_MS);
      killed.kill('SIGKILL');
      await once(killed, 'close');
    }
    const copy = start();
    let [stdout, stderr] = ['', ''];
    copy.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    copy.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const closed = once(copy, 'close');
    await eventually(() => stderr.includes(FOLLOWS), COPIED_MS_MAX);
    const keys = await end();
    const before = await overview();
    await world.quipu.stop();
    copy.kill('SIGINT');
    await closed;
    expect(JSON.parse(stdout)).toMatchObject({ root: expect.stringMatching(/^[0-9a-f]{64}$/) });
    return { keys, before };
  };

  /** Each key was charged once, before the move, and its balance stayed. */
  const expectCharged = async (keys: readonly string[], before: Overview): Promise<void> => {
    expect(await overview(before.position)).toMatchObject({ balance_usd: before.balance_usd });
    expect(keys.length).toBeGreaterThan(LANES);
    const count = await charges();
    for (const key of keys.slice(-LANES)) {
      const repeated = await ask(key);
      expect(repeated.headers.get('x-quipu-idempotent-replay')).toBe('true');
    }
    expect(await charges()).toBe(count);
    charged += keys.length;
    expect(count).toBe(charged);
  };

  /** Earlier checkpoints and proofs verify by themselves, and fit the log as it is now. */
  const expectIssued = async (): Promise<void> => {
    const log = parseVerifierKey(receipt.verifier_key);
    const { body } = await get(`/audit/requests/${receiptId}`).expect(200);
    const now = body as Receipt;
    expect(now.verifier_key).toBe(receipt.verifier_key);
    expect(now.events.map(placeOf)).toEqual(receipt.events.map(placeOf));
    for (const { encoding, proof } of receipt.events) {
      const { index, hashes, checkpoint: note } = parseProof(proof);
      const { size, root } = verifyCheckpoint(note, log);
      const leafHash = leafHashOf(Buffer.from(encoding, 'base64'));
      expect(isIncluded({ index, size, root, leafHash, proof: hashes })).toBe(true);
    }
    const old = parseCheckpoint(parseNote(checkpoint).text);
    const latest = verifyCheckpoint((await get('/audit/checkpoint').expect(200)).text, log);
    const route = `/audit/consistency?from=${old.size}&to=${latest.size}`;
    const { hashes } = (await get(route).expect(200)).body as {
      readonly hashes: readonly string[];
    };
    const proof = hashes.map((hash) => Buffer.from(hash, 'base64'));
    const { size, root } = latest;
    expect(isConsistent({ oldSize: old.size, oldRoot: old.root, size, root, proof })).toBe(true);
    expect(verifyBill(bill, { key: receipt.verifier_key }).events).toBeGreaterThan(3);
  };

  const move = async (eventStore: string, prefix: string | undefined): Promise<void> => {
    const environment = world.environment as Record<string, string | undefined>;
    environment['QUIPU_EVENT_STORE'] = eventStore;
    environment['QUIPU_LOG_PREFIX'] = prefix;
    if (prefix === undefined) delete environment['QUIPU_LOG_PREFIX'];
    for (const suffix of ['', '-wal', '-shm']) await rm(file(`views.db${suffix}`), { force: true });
    world = await world.restart();
  };

  beforeAll(async () => {
    node = await startEventStoreNode();
    world = await startWorld([answering('Knots', '.')], {
      environment: { QUIPU_AUDIT_CHECKPOINT_MS: '50' },
    });
    receiptId = (await ask('first')).headers.get('x-request-id');
    await ask('second');
    receipt = (await get(`/audit/requests/${receiptId}`).expect(200)).body as Receipt;
    bill = await download(`/api/v1/billing/statements/${MONTH}.zip`);
    checkpoint = (await get('/audit/checkpoint').expect(200)).text;
    before = await overview();
    // Another installation on the server: positions there do not count the events of this one.
    const other = await openEventStoreDb({ url: served(), prefix: 'other' });
    await other.append('job-1', counted(7), 'no-stream');
    await other.close();
  });

  afterAll(async () => {
    await world.close();
    await node.stop();
  });

  it('continues on the server, copied under load by a copy that was killed', async () => {
    const moved = await copyUnderLoad(
      'there',
      ...['--from', `sqlite:${file('events.db')}`, '--to', served(), '--to-prefix', PREFIX],
    );
    await move(served(), PREFIX);
    await expectCharged(moved.keys, moved.before);
    expect(await overview(before.position)).toMatchObject({
      balance_usd: before.balance_usd,
      position: before.position,
    });
    await expectIssued();
  });

  it('charges a repeated request once, and new ones on the same balance', async () => {
    const count = await charges();
    expect((await ask('first')).headers.get('x-quipu-idempotent-replay')).toBe('true');
    expect(await charges()).toBe(count);
    await untilCharged('third');
    charged += 1;
    expect(await charges()).toBe(count + 1);
    const { position } = await overview();
    expect(Number(position)).toBeGreaterThan(Number(before.position));
    expect((await overview(position)).position).toBe(position);
  });

  it('continues on a file again, copied in the same way', async () => {
    const there = await overview();
    const back = `sqlite:${file('back.db')}`;
    const moved = await copyUnderLoad(
      'back',
      ...['--from', served(), '--from-prefix', PREFIX, '--to', back],
    );
    await move(back, undefined);
    await expectCharged(moved.keys, moved.before);
    expect(await overview(there.position)).toMatchObject({
      balance_usd: there.balance_usd,
      position: there.position,
    });
    await untilCharged('fourth');
    await expectIssued();
  });

  it('continues on a file that archives were imported to', async () => {
    const there = await overview();
    const [old, recent] = [file('old.log'), file('recent.log')];
    const commandLine = new CommandLine(() => world);
    expect(await commandLine.result('log', 'export', old, '--end', '10')).toMatchObject({
      first: 0,
      events: 10,
    });
    const exportAll = async (): Promise<boolean> => {
      const exported = await commandLine.result('log', 'export', recent, '--first', '10');
      const { end } = exported as { readonly end: number };
      return end === (await world.events()).length;
    };
    await eventually(exportAll);
    await world.quipu.stop();
    const key = ['--key', receipt.verifier_key];
    expect(await quipu('log', 'verify', old, ...key)).toMatchObject({ first: 0, end: 10 });
    const imported = `sqlite:${file('imported.db')}`;
    const loaded = await quipu('log', 'import', recent, old, '--to', imported, ...key);
    await move(imported, undefined);
    expect(loaded).toMatchObject({ root: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(await overview(there.position)).toMatchObject({ balance_usd: there.balance_usd });
    await untilCharged('fifth');
    await expectIssued();
  });
});
