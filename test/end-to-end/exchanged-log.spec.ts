import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asOperator } from '#apps/operations/operations.fixture.js';
import {
  type EventStoreNode,
  startEventStoreNode,
} from '../servers/event-store/event-store.server.js';
import { CommandLine } from './command-line.fixture.js';
import { answering, chatRequest, eventually, startWorld, type World } from './quipu.harness.js';

/** Charges that the copy lacks. */
const LOST = 5;
/** Chats that are refused before the confirmation. */
const REFUSED = 5;
const REASON = 'the disk of the server was lost, and the copy of noon is all there is';
const DEPOSITED_MICRO_USD = 10_000_000;
const CHAT_MICRO_USD = 13;

interface Answered {
  readonly status: number;
  readonly code: string | undefined;
}

interface Report {
  readonly reasons: readonly string[];
  readonly details: readonly string[];
}

describe('a server of the log that is replaced by an older copy beneath a running gateway', () => {
  let node: EventStoreNode;
  let copy: string;
  let world: World;
  const commandLine = new CommandLine(() => world);

  const ask = async (): Promise<Answered> => {
    const response = await fetch(`${world.quipu.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${world.credentials.api_key}`,
      },
      body: JSON.stringify(chatRequest()),
    });
    const { error } = (await response.json()) as { readonly error?: { readonly code: string } };
    return { status: response.status, code: error?.code };
  };

  const untilAnswered = (): Promise<void> => eventually(async () => (await ask()).status === 200);

  const readiness = async (): Promise<Report> =>
    (await (await fetch(`${world.quipu.url}/health/ready`, asOperator)).json()) as Report;

  const eventsOf = async (type: string) => {
    const events = await world.events();
    return events.filter((event) => event.type === type).map(({ data }) => data);
  };

  /** The balances after each charge in the log. */
  const balances = async (): Promise<readonly number[]> => {
    const charges = (await eventsOf('HoldCaptured')) as { readonly availableMicroUsd: string }[];
    return charges.map(({ availableMicroUsd }) => Number(availableMicroUsd));
  };

  const balanceAfter = (charges: number): number => DEPOSITED_MICRO_USD - charges * CHAT_MICRO_USD;

  beforeAll(async () => {
    copy = path.join(await mkdtemp(path.join(tmpdir(), 'quipu-copy-')), 'home');
    node = await startEventStoreNode();
    const environment = { QUIPU_EVENT_STORE: node.url.replace('esdb:', 'kurrentdb:') };
    world = await startWorld([answering('Knots', '.')], { environment, isHere: true });
  });

  afterAll(async () => {
    await world.close();
    await node.stop();
    await rm(path.dirname(copy), { recursive: true });
  });

  it('has paid work refused, and none charged, until an operator confirms it', async () => {
    expect((await ask()).status).toBe(200);
    await node.kill();
    await cp(node.home, copy, { recursive: true });
    await node.restart();
    await untilAnswered();
    for (let asked = 1; asked < LOST; asked += 1) expect((await ask()).status).toBe(200);
    expect(await balances()).toHaveLength(1 + LOST);

    await node.kill();
    await rm(node.home, { recursive: true });
    await cp(copy, node.home, { recursive: true });
    await node.restart();
    const refused: Answered[] = [];
    await eventually(async () => {
      refused.push(await ask());
      return refused.at(-1)?.code === 'log_foreign';
    });
    for (let asked = 0; asked < REFUSED; asked += 1) refused.push(await ask());
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
    expect(refused.slice(-REFUSED)).toEqual(
      Array.from({ length: REFUSED }, () => ({ status: 503, code: 'log_foreign' })),
    );
    expect(await balances()).toEqual([balanceAfter(1)]);
    expect(await eventsOf('HoldPlaced')).toHaveLength(1);
    const { reasons, details } = await readiness();
    expect(reasons).toContain('log_foreign');
    expect(details).toContainEqual(expect.stringContaining('paid work is refused until'));
  });

  it('is charged after the confirmation, without a restart, on its own balances', async () => {
    // A channel of this process may still back off from the server that was away.
    await eventually(async () => {
      const { exitCode } = await commandLine.run('log', 'confirm', '--reason', REASON);
      return exitCode === 0;
    });
    await untilAnswered();
    expect((await ask()).status).toBe(200);
    expect(await balances()).toEqual([1, 2, 3].map(balanceAfter));
    expect(await eventsOf('LogConfirmed')).toMatchObject([{ reason: REASON }]);
  });

  it('balances, once the read models of the lost log are deleted', async () => {
    await world.quipu.stop();
    for (const suffix of ['', '-wal', '-shm'])
      await rm(path.join(world.home, `views.db${suffix}`), { force: true });
    world = await world.restart();
    const checked = await commandLine.result('ledger', 'check');
    expect(checked).toMatchObject({
      balanced: true,
      charged_micro_usd: `${3 * CHAT_MICRO_USD}`,
      available_micro_usd: `${balanceAfter(3)}`,
      held_micro_usd: '0',
    });
    await eventually(async () => (await readiness()).reasons.length === 0);
    await untilAnswered();
  });
});
