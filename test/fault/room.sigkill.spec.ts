import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Bootstrap } from '#apps/composition/bootstrap.js';
import { KillableQuipu } from './killable-quipu.js';
import { type Point, type VictimOrder } from './room.victim.js';

const VICTIM = path.join(import.meta.dirname, 'room.victim.ts');
const ROOMS = '/api/v1/cleanrooms';
const ROWS = 200;
/** By then the hold of a query has expired. */
const LATER_MS = 600_000;

/** A query is killed at each point; it is spent once in the end, and by then or by its repeat. */
const POINTS: readonly (Point & { readonly isSpent: boolean })[] = [
  { when: 'before', type: 'PrivacyReserved', isSpent: false },
  { when: 'after', type: 'PrivacyReserved', isSpent: false },
  { when: 'before', type: 'PrivacySpent', isSpent: false },
  { when: 'after', type: 'PrivacySpent', isSpent: true },
];

const CATALOG = `
rigs:
  - { name: nowhere, kind: openai, base_url: 'http://127.0.0.1:9/v1' }
models:
  - { id: acme/any, owned_by: acme, rigs: [nowhere], context: 8192, max_output: 100,
      price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } }
meters:
  - { meter: privacy_spends, usd: 0.01, per: 1 }
`;

type Body = Readonly<Record<string, unknown>>;

describe('SIGKILL between the steps of a query of a clean room', () => {
  let home: string;
  let log: KillableQuipu;
  let victim: ChildProcess;
  let url: string;
  let starts = 0;

  beforeAll(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'quipu-room-sigkill-'));
    const catalog = path.join(home, 'catalog.yaml');
    await writeFile(catalog, CATALOG);
    log = new KillableQuipu(home, 0, catalog);
  });

  afterAll(async () => {
    victim.kill('SIGKILL');
    await rm(home, { recursive: true, force: true });
  });

  /** Each process believes that the hold of the one before has expired. */
  const start = async (): Promise<void> => {
    const ahead = String(LATER_MS * starts);
    victim = fork(VICTIM, [ahead], { env: log.environment, execArgv: [] });
    starts += 1;
    [url = ''] = (await once(victim, 'message')) as [string?];
  };

  const order = async (asked: VictimOrder): Promise<void> => {
    const done = once(victim, 'message');
    victim.send(asked);
    await done;
  };

  const ask = async (way: string, sent?: object, method = 'POST') => {
    const text = await readFile(path.join(home, 'bootstrap.json'), 'utf8');
    const { api_key: key } = JSON.parse(text) as Bootstrap;
    const response = await fetch(`${url}${ROOMS}${way}`, {
      method: sent ? method : 'GET',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(sent && { body: JSON.stringify(sent) }),
    });
    return { status: response.status, body: (await response.json()) as Body };
  };

  const create = async (): Promise<string> => {
    const { body } = await ask('', {
      ...{ name: 'Killed', total_epsilon: POINTS.length, contributors_min: 1 },
      participants: ['analyst', 'contributor'].map((role) => ({ account_id: '1', role })),
    });
    const { uuid: cleanroomId } = body['cleanroom'] as { readonly uuid: string };
    const column = { name: 'hours', kind: 'number', minimum: 0, maximum: 12, step: 1 };
    await ask(`/${cleanroomId}/schema`, { columns: [column] }, 'PUT');
    const rows = Array.from({ length: ROWS }, (_, row) => [row % 12]);
    const of = { cleanroomId, contributionId: cleanroomId, accountId: '1' };
    await order({ deposit: { ...of, schemaVersion: 1, rows } });
    return cleanroomId;
  };

  const written = async (type: string) => (await log.events()).filter((one) => one.type === type);

  it('loses no spend and doubles none, and leaves neither privacy nor money behind', async () => {
    await start();
    const uuid = await create();
    const query = (n: number) => ({
      ...{ aggregate: 'count', epsilon: 1, where: [{ column: 'hours', from: n, to: 12 }] },
    });
    for (const [n, { isSpent, ...kill }] of POINTS.entries()) {
      await order({ kill });
      const ended = once(victim, 'exit');
      await expect(ask(`/${uuid}/queries`, query(n))).rejects.toThrow();
      expect(await ended).toEqual([null, 'SIGKILL']);
      expect(await written('PrivacySpent')).toHaveLength(n + Number(isSpent));
      await start();
      const budget = async () => (await ask(`/${uuid}`)).body['cleanroom'] as Body;
      while ((await budget())['privacy_budget_reserved_epsilon'] !== 0) await sleep(20);
      expect(await budget()).toMatchObject({
        privacy_budget_spent_epsilon: n + Number(isSpent),
        privacy_budget_remaining_epsilon: POINTS.length - n - Number(isSpent),
      });
      const again = await ask(`/${uuid}/queries`, query(n));
      expect(again).toMatchObject({ status: 200, body: { is_new: !isSpent } });
    }
    // The last unit was not lost, and there is none beyond it.
    expect(await ask(`/${uuid}/queries`, query(POINTS.length))).toMatchObject({
      ...{ status: 402, body: { code: 'privacy_budget_exceeded' } },
    });
    const spends = await written('PrivacySpent');
    expect(new Set(spends.map(({ data }) => (data as Body)['queryHash'])).size).toBe(POINTS.length);
    expect(spends).toHaveLength(POINTS.length);
    victim.kill('SIGKILL');
    expect(await log.answer('cleanroom', 'audit')).toMatchObject({ sound: true });
    expect(await log.answer('ledger', 'check')).toMatchObject({ balanced: true, faults: [] });
    // A spend is charged once, or not at all where the process was killed before the charge.
    const charges = (await written('HoldCaptured')).map(
      ({ data }) => (data as Body)['amountMicroUsd'],
    );
    const paid = POINTS.filter(({ isSpent }) => !isSpent).map(() => '10000');
    expect(charges.filter((amount) => amount !== '0')).toEqual(paid);
  }, 480_000);
});
