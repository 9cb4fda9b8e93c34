import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { counted } from '#platform/event-store/event-store.fixture.js';
import { openEventStoreDb } from '#platform/event-store/eventstoredb/eventstoredb-event-store.js';
import { startEventStoreNode } from '../servers/event-store/event-store.server.js';
import { type TestServer } from '../servers/test-server.js';
import { CommandLine } from '../end-to-end/command-line.fixture.js';
import {
  type Answered,
  EveryProduct,
  startEveryProduct,
} from '../end-to-end/every-product.fixture.js';
import { IssuedProofs } from '../end-to-end/issued-proofs.fixture.js';
import { loadQuipu } from '../end-to-end/loaded-quipu.js';
import { chatRequest, eventually, type World } from '../end-to-end/quipu.harness.js';
import { startWitness } from '../end-to-end/witness.fixture.js';

const CLI = path.resolve(import.meta.dirname, '../../bundle/apps/cli/main.js');
const PREFIX = 'moved';
const LANES = 4;
const KILLS = 2;
/** A copy has started by then, and copies. */
const KILLED_AFTER_MS = 1_200;
const COPIED_MS_MAX = 60_000;
/** Of each step, on a busy machine. */
const STEP_MS_MAX = 180_000;
const FOLLOWS = 'The copy follows the log';

interface Overview {
  readonly balance_usd: number;
  readonly position: string;
}

/** A receipt of another node charges them: `dtn-node.spec.ts`. */
const CHARGED_BY_NODES: readonly string[] = ['remote_chat'];

describe('an installation whose log moves to a server and back', () => {
  let world: World;
  let node: TestServer;
  let installation: Awaited<ReturnType<typeof startEveryProduct>>;
  let witness: Awaited<ReturnType<typeof startWitness>>;
  let issued: IssuedProofs;
  let answers: readonly Answered[];
  /** Charges so far. */
  let charged = 0;
  const products = new EveryProduct(() => world);

  const authorized = () => ({ authorization: `Bearer ${world.credentials.api_key}` });
  const get = (route: string) => request(world.quipu.url).get(route).set(authorized());
  const file = (name: string): string => path.join(world.home, name);
  const served = () => node.url;

  const ask = (key: string): Promise<Response> =>
    fetch(`${world.quipu.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key, ...authorized() },
      body: JSON.stringify(chatRequest()),
    });

  /** Readers of a new place may be behind for a moment, and requests are refused until then. */
  const untilCharged = (key: string) => eventually(async () => (await ask(key)).status === 200);

  const charges = async (): Promise<number> =>
    (await world.events()).filter(({ type }) => type === 'HoldCaptured').length;

  const overview = async (asOf?: string): Promise<Overview> => {
    const query = asOf === undefined ? '' : `?asOf=${asOf}`;
    const ask = () => get(`/api/v1/billing/overview.php${query}`);
    let found = await ask();
    // Readers of a new place may be behind for a moment.
    await eventually(async () => found.status === 200 || (found = await ask()).status === 200);
    return found.body as Overview;
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

  /** Each order is answered as before under its key, and charged no more. */
  const expectRepeated = async (): Promise<void> => {
    const count = await charges();
    for (const { order, status, text } of answers) {
      const { purpose } = order;
      const repeated = await products.answerTo(order);
      expect({ purpose, status: repeated.status, text: repeated.text }).toEqual({
        ...{ purpose, status, text },
      });
    }
    expect(await charges()).toBe(count);
  };

  const expectIssued = async (): Promise<void> => {
    await issued.expectSame();
    expect(witness.refused()).toBe(0);
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
    const { areas } = await loadQuipu();
    const purposes = areas
      .flatMap((area) => area.products.map(({ purpose }) => purpose))
      .filter((purpose) => !CHARGED_BY_NODES.includes(purpose));
    [node, witness] = await Promise.all([startEventStoreNode(), startWitness()]);
    installation = await startEveryProduct({
      QUIPU_AUDIT_CHECKPOINT_MS: '50',
      QUIPU_AUDIT_WITNESSES: witness.setting,
    });
    ({ world } = installation);
    answers = await products.order(new Set(purposes));
    issued = new IssuedProofs(() => world, witness.key);
    await issued.keep(answers.map(({ requestId }) => requestId));
    charged = await charges();
    // Another installation on the server: positions there do not count the events of this one.
    const other = await openEventStoreDb({ url: served(), prefix: 'other' });
    await other.append('job-1', counted(7), 'no-stream');
    await other.close();
  }, STEP_MS_MAX);

  afterAll(async () => {
    await world.close();
    await installation.close();
    await witness.close();
    await node.stop();
  });

  it(
    'continues on the server, copied under load by a copy that was killed',
    async () => {
      const moved = await copyUnderLoad(
        'there',
        ...['--from', `sqlite:${file('events.db')}`, '--to', served(), '--to-prefix', PREFIX],
      );
      await move(served(), PREFIX);
      await expectCharged(moved.keys, moved.before);
      await expectIssued();
    },
    STEP_MS_MAX,
  );

  it('charges repeated orders of all products once, and new ones on the same balance', async () => {
    await expectRepeated();
    const count = await charges();
    await untilCharged('third');
    charged += 1;
    expect(await charges()).toBe(count + 1);
    const { position } = await overview();
    expect((await overview(position)).position).toBe(position);
  });

  it(
    'continues on a file again, copied in the same way',
    async () => {
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
      await expectRepeated();
      await expectIssued();
    },
    STEP_MS_MAX,
  );

  it(
    'continues on a file that archives were imported to',
    async () => {
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
        return end === (await world.log()).length;
      };
      await eventually(exportAll);
      await world.quipu.stop();
      const key = ['--key', issued.key];
      expect(await quipu('log', 'verify', old, ...key)).toMatchObject({ first: 0, end: 10 });
      const imported = `sqlite:${file('imported.db')}`;
      const loaded = await quipu('log', 'import', recent, old, '--to', imported, ...key);
      await move(imported, undefined);
      expect(loaded).toMatchObject({ root: expect.stringMatching(/^[0-9a-f]{64}$/) });
      expect(await overview(there.position)).toMatchObject({ balance_usd: there.balance_usd });
      await untilCharged('fifth');
      await expectIssued();
    },
    STEP_MS_MAX,
  );
});
