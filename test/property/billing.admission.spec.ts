import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type AccountCommand, accountDecider } from '#areas/billing/account.decider.js';
import {
  ACCOUNT,
  capture,
  deposit,
  open,
  place,
  release,
  renew,
} from '#areas/billing/account.fixture.js';
import { ask, KEY, setBudget } from '#areas/billing/budgets/budget.fixture.js';
import { type Accounts, accountStream } from '#areas/billing/accounts.js';
import { LedgerAudit } from '#areas/billing/ledger-audit.js';
import { WaitingHolds } from '#areas/billing/waiting/waiting-holds.js';
import { type AccountEvent, accountEvents } from '#events/billing/account.events.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { CommandRunner, ContentionError } from '#platform/runtime/commands/command-runner.js';
import { EventCodec } from '#platform/runtime/commands/event-codec.js';

const WORST = [1_000, 1_000] as const;
const WORST_MICRO_USD = 750;

/** A command runner with its own connection and writer, as in a separate process. */
const openProcess = async (file: string) => {
  const eventStore = await openSqliteEventStore({ file });
  const codec = new EventCodec(accountEvents).for(accountEvents);
  const accounts: Accounts = new CommandRunner({ decider: accountDecider, eventStore, codec });
  return { eventStore, codec, accounts };
};
type Process = Awaited<ReturnType<typeof openProcess>>;

const withProcesses = async (
  count: number,
  work: (processes: readonly Process[]) => Promise<void>,
): Promise<void> => {
  const directory = await mkdtemp(path.join(tmpdir(), 'quipu-admission-'));
  const processes: Process[] = [];
  try {
    for (let started = 0; started < count; started += 1) {
      processes.push(await openProcess(path.join(directory, 'events.db')));
    }
    await work(processes);
  } finally {
    await Promise.all(processes.map(({ eventStore }) => eventStore.close()));
    await rm(directory, { recursive: true });
  }
};

/** The outcome of a command. After contention the caller retries, as with `Retry-After`. */
const outcomeOf = async (
  { accounts }: Process,
  command: AccountCommand,
  queue?: WaitingHolds,
): Promise<string> => {
  for (;;) {
    const context = contextOf(randomUUID(), 'spec');
    const run = () => accounts.run(accountStream(ACCOUNT), command, context);
    try {
      const { events } = await run().catch((error: unknown) => {
        if (!queue || command.type !== 'PlaceHold') throw error;
        return queue.placeLater(error, command, run, new AbortController().signal);
      });
      return events.map(({ type }) => type).join();
    } catch (error) {
      if (error instanceof DomainError) return String(error.code);
      if (!(error instanceof ContentionError)) throw error;
    }
  }
};

const tally = (outcomes: readonly string[]): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
};

const eventsOf = async ({ eventStore, codec }: Process): Promise<readonly AccountEvent[]> => {
  const events: AccountEvent[] = [];
  for await (const page of eventStore.read(accountStream(ACCOUNT))) {
    for (const recorded of page) events.push(codec.revive(recorded));
  }
  return events;
};

const fund = async (processes: readonly Process[], amount: number): Promise<void> => {
  const [first] = processes;
  if (!first) throw new RangeError('at least one process');
  await outcomeOf(first, open);
  if (amount > 0) await outcomeOf(first, deposit(amount));
};

/** Runs the commands concurrently, in turn on the processes. */
const runAll = (processes: readonly Process[], commands: readonly AccountCommand[]) =>
  Promise.all(
    commands.map((command, index) => {
      const process = processes[index % processes.length];
      if (!process) throw new RangeError('at least one process');
      return outcomeOf(process, command);
    }),
  );

const expectSound = async (processes: readonly Process[]): Promise<void> => {
  for (const process of processes) {
    const audit = new LedgerAudit();
    (await eventsOf(process)).forEach((event, index) => audit.take(event, BigInt(index)));
    expect(audit.faults).toEqual([]);
  }
};

describe.each([1, 2])('concurrent admission in %d process(es)', (count) => {
  it('admits exactly as many requests as the balance covers', async () => {
    const cases = fc.record({
      covered: fc.nat(40),
      asked: fc.integer({ min: 1, max: 120 }),
      change: fc.nat(WORST_MICRO_USD - 1),
    });
    await fc.assert(
      fc.asyncProperty(cases, ({ covered, asked, change }) =>
        withProcesses(count, async (processes) => {
          await fund(processes, covered * WORST_MICRO_USD + change);
          const commands = Array.from({ length: asked }, () =>
            place(WORST, { holdId: randomUUID() }),
          );
          const outcomes = tally(await runAll(processes, commands));
          const admitted = Math.min(asked, covered);
          expect(outcomes['HoldPlaced'] ?? 0).toBe(admitted);
          expect(outcomes['insufficient_balance'] ?? 0).toBe(asked - admitted);
          await expectSound(processes);
        }),
      ),
      { numRuns: 8 },
    );
  });

  it('200 requests for a balance of 50: 50 admitted, 150 rejected, nothing left', async () => {
    await withProcesses(count, async (processes) => {
      await fund(processes, 50 * WORST_MICRO_USD);
      const ids = Array.from({ length: 200 }, () => randomUUID());
      const placing = ids.map((holdId) => place(WORST, { holdId }));
      expect(tally(await runAll(processes, placing))).toEqual({
        HoldPlaced: 50,
        insufficient_balance: 150,
      });
      const charging = ids.map((holdId) => capture(WORST, holdId));
      expect(tally(await runAll(processes, charging))).toEqual({
        HoldCaptured: 50,
        hold_not_open: 150,
      });
      const last = (await eventsOf(processes[0] as Process)).at(-1);
      expect(last?.data).toMatchObject({ availableMicroUsd: '0' });
    });
  });

  it('never admits one too many of requests that wait, and none waits in vain', async () => {
    const cases = fc.record({
      covered: fc.nat(8),
      change: fc.nat(WORST_MICRO_USD - 1),
      used: fc.array(fc.tuple(fc.nat(1_000), fc.nat(1_000)), { minLength: 1, maxLength: 40 }),
    });
    await fc.assert(
      fc.asyncProperty(cases, ({ covered, change, used }) =>
        withProcesses(count, async (processes) => {
          await fund(processes, covered * WORST_MICRO_USD + change);
          const queues = processes.map(({ accounts }) => new WaitingHolds(accounts, 30_000));
          const outcomes = await Promise.all(
            used.map(async (tokens, index) => {
              const at = index % count;
              const [process, queue] = [processes[at], queues[at]];
              if (!process || !queue) throw new RangeError('at least one process');
              const holdId = randomUUID();
              const outcome = await outcomeOf(process, place(WORST, { holdId }), queue);
              if (outcome !== 'HoldPlaced') return outcome;
              const end = await outcomeOf(process, capture(tokens, holdId));
              queue.ended(ACCOUNT);
              return end;
            }),
          );
          await expectSound(processes);
          const { HoldCaptured: paid = 0, insufficient_balance: rejected = 0 } = tally(outcomes);
          expect(paid + rejected).toBe(used.length);
          const left = (await eventsOf(processes[0] as Process)).at(-1)?.data;
          if (rejected === 0) return;
          expect(
            Number((left as { availableMicroUsd?: string }).availableMicroUsd ?? 0),
          ).toBeLessThan(WORST_MICRO_USD);
        }),
      ),
      { numRuns: 8 },
    );
  });

  it('admits exactly as many requests as a budget covers, of the account or of a key', async () => {
    const cases = fc.record({
      covered: fc.nat(30),
      asked: fc.integer({ min: 1, max: 80 }),
      change: fc.nat(WORST_MICRO_USD - 1),
      window: fc.constantFrom('dayMicroUsd', 'monthMicroUsd'),
      ofKey: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(cases, ({ covered, asked, change, window, ofKey }) =>
        withProcesses(count, async (processes) => {
          await fund(processes, 1_000 * WORST_MICRO_USD);
          const limit = String(covered * WORST_MICRO_USD + change);
          const limiting = setBudget({ [window]: limit }, ofKey ? { key: KEY } : {});
          await runAll(processes, [limiting]);
          const commands = Array.from({ length: asked }, () =>
            ask(WORST, { holdId: randomUUID(), key: KEY }),
          );
          const outcomes = tally(await runAll(processes, commands));
          const admitted = Math.min(asked, covered);
          expect(outcomes['HoldPlaced'] ?? 0).toBe(admitted);
          expect(outcomes['budget_exceeded'] ?? 0).toBe(asked - admitted);
          await expectSound(processes);
        }),
      ),
      { numRuns: 8 },
    );
  });

  it('admits exactly the requests and tokens of a minute', async () => {
    await withProcesses(count, async (processes) => {
      await fund(processes, 1_000 * WORST_MICRO_USD);
      await runAll(processes, [setBudget({ requestsPerMinute: 30, tokensPerMinute: 50_000 })]);
      const commands = Array.from({ length: 60 }, () => ask(WORST, { holdId: randomUUID() }));
      expect(tally(await runAll(processes, commands))).toEqual({
        HoldPlaced: 25,
        rate_limit_exceeded: 35,
      });
      const next = Array.from({ length: 60 }, () =>
        ask([100, 100], { holdId: randomUUID(), at: '2026-11-21T05:01:00.000Z' }),
      );
      expect(tally(await runAll(processes, next))).toEqual({
        HoldPlaced: 30,
        rate_limit_exceeded: 30,
      });
    });
  });

  it('renews exactly as many holds as the balance covers', async () => {
    await withProcesses(count, async (processes) => {
      await fund(processes, 15 * WORST_MICRO_USD);
      const ids = Array.from({ length: 10 }, () => randomUUID());
      await runAll(
        processes,
        ids.map((holdId) => place(WORST, { holdId })),
      );
      const renewals = ids.map((holdId) => renew(WORST, { holdId }));
      expect(tally(await runAll(processes, renewals))).toEqual({
        HoldRenewed: 5,
        insufficient_balance: 5,
      });
      await expectSound(processes);
    });
  });

  it('ends each hold once under concurrent captures and releases', async () => {
    await withProcesses(count, async (processes) => {
      await fund(processes, 10 * WORST_MICRO_USD);
      const ids = Array.from({ length: 10 }, () => randomUUID());
      await runAll(
        processes,
        ids.map((holdId) => place(WORST, { holdId })),
      );
      const ends = ids.flatMap((holdId) => [
        capture([900, 100], holdId),
        release(holdId),
        capture(WORST, holdId),
        release(holdId),
      ]);
      const outcomes = tally(await runAll(processes, ends));
      expect((outcomes['HoldCaptured'] ?? 0) + (outcomes['HoldReleased'] ?? 0)).toBe(10);
      expect(outcomes['hold_not_open']).toBe(30);
      await expectSound(processes);
    });
  });
});
