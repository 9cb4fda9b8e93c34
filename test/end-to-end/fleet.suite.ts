import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isLinearizable } from '../property/linearizable.js';
import {
  type MeshOperation,
  meshTaskModel,
  randomOf,
  recording,
  runAgent,
} from '../property/mesh.history.fixture.js';
import { meshOutputOf, meshRequestOf } from '../property/mesh.routes.fixture.js';
import { type Fleet, type Member, startFleet } from './fleet.harness.js';
import { answering, chatRequest, eventually, MODEL } from './quipu.harness.js';

/** Longer than a process on a busy machine waits for the CPU, so that only a test ends a lease. */
const TTL_MS = 4_000;

const catalogOf =
  (inputUsdPerMtok: number, outputUsdPerMtok = 2) =>
  (baseUrl: string): string => `
rigs:
  - { name: scripted, kind: openai, base_url: ${baseUrl}, max_concurrency: 64 }
models:
  - { id: ${MODEL}, upstream_id: scripted-1, owned_by: acme, rigs: [scripted], context: 8192,
      max_output: 100, price: {
        input_usd_per_mtok: ${inputUsdPerMtok}, output_usd_per_mtok: ${outputUsdPerMtok} } }
`;

interface Overview {
  readonly balance_usd: number;
}

interface IssuedKey {
  readonly api_key: string;
  readonly key: { readonly id: string };
}

/** The settings of a fleet's processes, and the servers that these name. */
export interface FleetEngines {
  readonly environment: NodeJS.ProcessEnv;
  close(): Promise<void>;
}

/** The guarantees of a fleet on any stores. */
export const fleetSuite = (title: string, openEngines: () => Promise<FleetEngines>): void =>
  describe(title, () => {
    let engines: FleetEngines;
    let fleet: Fleet;
    let first: Member;
    let second: Member;

    beforeAll(async () => {
      const catalog = catalogOf(1);
      engines = await openEngines();
      const { environment } = engines;
      const options = { leaseTtlMs: TTL_MS, leaseRenewMs: 300, catalogOf: catalog, environment };
      fleet = await startFleet(answering('Knots', '.'), options);
      [first, second] = fleet.gateways;
    });

    afterAll(async () => {
      await fleet.close();
      await engines.close();
    });

    const chat = (
      gateway: Member,
      headers: Readonly<Record<string, string>> = {},
      body: Readonly<Record<string, unknown>> = {},
    ) =>
      fleet.request(gateway, '/v1/chat/completions', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(chatRequest(body)),
      });

    const balanceAt = async (gateway: Member): Promise<number> => {
      const response = await fleet.request(gateway, '/api/v1/billing/overview.php');
      if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
      return ((await response.json()) as Overview).balance_usd;
    };

    /** Micro-dollars of a balance in dollars, a float in JSON. */
    const micro = (usd: number): number => Math.round(usd * 1_000_000);

    /** Sends a chat to one gateway, then reads the balance from the other. */
    const chatAndSee = async (): Promise<void> => {
      const before = micro(await balanceAt(second));
      expect((await chat(first)).status).toBe(200);
      expect(micro(await balanceAt(second))).toBeLessThan(before);
    };

    const untilLed = async (): Promise<Member> => {
      let leader: Member | undefined;
      await eventually(async () => (leader = await fleet.leader()) !== undefined);
      if (!leader) throw new Error('there is no leader');
      return leader;
    };

    const otherThan = (projector: Member): Member => {
      const other = fleet.projectors.find((one) => one !== projector);
      if (!other) throw new Error('there is no other');
      return other;
    };

    it('creates its first account once, in any order of starts', () => {
      const reported = fleet.gateways.filter(({ output }) =>
        output.includes('An account was created'),
      );
      expect(reported).toHaveLength(1);
      expect(reported[0]?.output).toContain(path.join(fleet.home, 'bootstrap.json'));
      expect(reported[0]?.output).not.toContain(fleet.credentials.api_key);
    });

    const groupsOf = async (projector: Member): Promise<readonly string[]> => {
      const { reader_groups: groups = [] } = (await projector.report()) ?? {};
      return groups.filter(({ role }) => role === 'leader').map(({ group }) => group);
    };

    it('shares the readers of the log, and says which process has which', async () => {
      const shares = async () => Promise.all(fleet.projectors.map(groupsOf));
      await eventually(async () => (await shares()).every(({ length }) => length === 2));
      const [one = [], two = []] = await shares();
      expect([...one, ...two].toSorted()).toEqual([
        'projections-1',
        'projections-2',
        'projections-3',
        'reactions',
      ]);
      const status = await fleet.quipu('projections', 'status');
      const holders = fleet.projectors.flatMap(({ name }, index) =>
        (index === 0 ? one : two).map((group) => ({ group, holder: name })),
      );
      expect(status).toMatchObject({ reader_groups: expect.arrayContaining(holders) });
    });

    it('runs sagas in one process, and reports which', async () => {
      const leader = await untilLed();
      // A new leader joins the groups of its consumers first, and the broker moves partitions then.
      let report = await leader.report();
      await eventually(async () => (report = await leader.report())?.status === 'ready');
      expect(report).toMatchObject({
        status: 'ready',
        reasons: [],
        lease: { role: 'leader' },
      });
      const standby = otherThan(leader);
      let idle = await standby.report();
      await eventually(async () => {
        idle = await standby.report();
        return idle?.lease?.holder === leader.name && idle.status === 'ready';
      });
      expect(idle).toMatchObject({ lease: { role: 'standby' }, reactions: [] });
      await eventually(async () => (report = await first.report())?.status === 'ready');
      expect(report).toMatchObject({ status: 'ready', lease: null });
    });

    it('gives projectors the CPU priority of gateways, so that they renew their lease', () => {
      const priorityOf = ({ pid = 0 }: Member) => os.getPriority(pid);
      for (const gateway of fleet.gateways)
        for (const projector of fleet.projectors)
          expect(priorityOf(projector)).toBe(priorityOf(gateway));
    });

    it('shows a charge of one gateway at the other when its answer has ended', async () => {
      for (let chats = 0; chats < 5; chats += 1) await chatAndSee();
    });

    const post = async (gateway: Member, url: string, body: unknown = {}): Promise<IssuedKey> => {
      const response = await fleet.request(gateway, url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
      return (await response.json()) as IssuedKey;
    };

    const issueKey = (name: string): Promise<IssuedKey> =>
      post(first, '/api/v1/auth/keys', { name, kind: 'user' });

    const statusWith = async (gateway: Member, { api_key: apiKey }: IssuedKey): Promise<number> =>
      (await chat(gateway, { authorization: `Bearer ${apiKey}` })).status;

    /** Repeats a request until it sees the change; one a second after the change must see it. */
    const withinASecond = async (isSo: () => Promise<boolean>): Promise<void> => {
      const changedAt = performance.now();
      for (;;) {
        const askedAt = performance.now();
        if (await isSo()) return;
        if (askedAt - changedAt >= 1_000)
          throw new Error('the change was not visible after a second');
        await sleep(10);
      }
    };

    it('ends a key in every process within a second', async () => {
      const issued = await issueKey('to be ended');
      expect(await statusWith(second, issued)).toBe(200);
      const url = `/api/v1/auth/keys/${issued.key.id}`;
      expect((await fleet.request(first, url, { method: 'DELETE' })).status).toBe(200);
      await withinASecond(async () => (await statusWith(second, issued)) === 401);
    });

    it('rotates a key in every process within a second', async () => {
      const old = await issueKey('to be rotated');
      expect(await statusWith(second, old)).toBe(200);
      const fresh = await post(first, `/api/v1/auth/keys/${old.key.id}/rotate`);
      expect(await statusWith(second, fresh)).toBe(200);
      await withinASecond(async () => (await statusWith(second, old)) === 401);
      expect(await statusWith(first, old)).toBe(401);
    });

    it('charges by a new rate card in every process within a second', async () => {
      const costAt = async (gateway: Member) =>
        Number((await chat(gateway)).headers.get('x-quipu-cost-usd'));
      expect(await costAt(second)).toBe(0.000013);
      await writeFile(fleet.catalogFile(0), catalogOf(10)(fleet.upstream.baseUrl));
      await eventually(async () => (await costAt(first)) === 0.000094);
      await withinASecond(async () => (await costAt(second)) === 0.000094);
    });

    /**
     * Freezes the leader until the other has taken over. On files, a leader that is frozen during a
     * write keeps its lock, and all others wait: the leader is then frozen again.
     */
    const standStill = async (): Promise<readonly [frozen: Member, next: Member]> => {
      for (let attempt = 1; ; attempt += 1) {
        const leader = await untilLed();
        const next = otherThan(leader);
        const hasTakenOver = async () => (await next.report())?.lease?.role === 'leader';
        leader.signal('SIGSTOP');
        try {
          await eventually(hasTakenOver, 5 * TTL_MS);
          return [leader, next];
        } catch (error) {
          leader.signal('SIGCONT');
          if (attempt === 3) throw error;
        }
      }
    };

    it('moves projections and sagas at once when their process is stopped', async () => {
      const leader = await untilLed();
      const stoppedAt = performance.now();
      expect(await leader.end('SIGTERM')).toBe(0);
      const next = otherThan(leader);
      await eventually(async () => (await next.report())?.lease?.role === 'leader');
      const tookMs = performance.now() - stoppedAt;
      await chatAndSee();
      await leader.start();
      expect(tookMs).toBeLessThan(TTL_MS);
    });

    it('takes over from a killed process without a lost event', async () => {
      const leader = await untilLed();
      const before = micro(await balanceAt(second));
      await leader.end('SIGKILL');
      const cost = Number((await chat(first)).headers.get('x-quipu-cost-usd'));
      await untilLed();
      expect(micro(await balanceAt(second))).toBe(before - micro(cost));
      await leader.start();
      expect((await leader.report())?.lease?.role).toBe('standby');
    });

    it('fences a process that was stopped while its lease expired', async () => {
      const [leader, next] = await standStill();
      await chatAndSee();
      leader.signal('SIGCONT');
      await eventually(async () => (await leader.report())?.lease?.role === 'standby');
      await chatAndSee();
      expect(await fleet.leader()).toBe(next);
    });

    it('leases a task to one agent at a time, whichever gateway the agents ask', async () => {
      const history: MeshOperation[] = [];
      const agents = ['ann', 'bob', 'cid', 'dan'];
      const random = randomOf(11);
      const known = new Map(agents.map((agent) => [agent, 1]));
      const work = agents.map((agent, index) => {
        const gateway = index % 2 === 0 ? first : second;
        const ask = recording(history, async (input) => {
          const [route, body] = meshRequestOf('contended', input);
          const headers = { 'content-type': 'application/json' };
          const init = { method: 'POST', headers, body: JSON.stringify(body) };
          return meshOutputOf(await (await fleet.request(gateway, route, init)).json());
        });
        return runAgent(agent, known, 12, random, ask);
      });
      await Promise.all(work);
      expect(history).toHaveLength(48);
      expect(isLinearizable(meshTaskModel, history)).toBe(true);
    });

    it('rebuilds a projection from another process while gateways answer', async () => {
      const before = await balanceAt(second);
      await fleet.quipu('projections', 'rebuild', 'account-overview');
      expect(await balanceAt(first)).toBe(before);
      await chatAndSee();
    });

    it('reports an unavailable log, charges nothing, and recovers', async () => {
      const before = micro(await balanceAt(first));
      await fleet.node.end('SIGKILL');
      await eventually(async () => (await first.report())?.status === 'not_ready');
      await eventually(async () => (await fleet.projectors[0].report())?.status === 'not_ready');
      expect((await first.report())?.event_store.writable).toBe(false);
      expect((await chat(first)).ok).toBe(false);
      await fleet.node.start();
      await Promise.all([...fleet.gateways, ...fleet.projectors].map((one) => one.ready()));
      expect(micro(await balanceAt(first))).toBe(before);
      await chatAndSee();
    });

    it('admits exactly what the balance covers, with many requests at both gateways', async () => {
      const covered = 10;
      const tokens = 2;
      const price = Math.floor(micro(await balanceAt(first)) / covered / tokens);
      const catalog = catalogOf(0, price)(fleet.upstream.baseUrl);
      for (const gateway of [0, 1] as const) await writeFile(fleet.catalogFile(gateway), catalog);
      await sleep(1_000);
      const asked = Array.from({ length: 6 * covered }, async (_, n) => {
        const gateway = n % 2 === 0 ? first : second;
        // A gateway that lost every race for the account answers with a retry-after time.
        for (;;) {
          const { status } = await chat(gateway, {}, { max_tokens: tokens });
          if (status !== 503) return status;
        }
      });
      const statuses = await Promise.all(asked);
      expect(statuses.filter((status) => status === 200)).toHaveLength(covered);
      expect(statuses.filter((status) => status === 402)).toHaveLength(5 * covered);
      expect(micro(await balanceAt(second))).toBeLessThan(price * tokens);
    });

    it('has a ledger that balances, and stops cleanly', async () => {
      expect(await fleet.quipu('ledger', 'check')).toMatchObject({ balanced: true });
      const gateways = await Promise.all(fleet.gateways.map((one) => one.end('SIGTERM')));
      const projectors = await Promise.all(fleet.projectors.map((one) => one.end('SIGTERM')));
      expect([...gateways, ...projectors, await fleet.node.end('SIGTERM')]).toEqual([
        0, 0, 0, 0, 0,
      ]);
    });
  });
