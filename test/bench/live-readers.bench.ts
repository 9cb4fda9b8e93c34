/**
 * What the handlers of the log cost beside chats, without HTTP and inference:
 * `npm run live-readers -- [--connections 50] [--seconds 6]`. Holds and charges are decided
 * and appended, first with no handler at all and then with the handlers of a standalone.
 *
 * The writer's thread does the same work in both, so its CPU time is the measure of the machine:
 * quote the main thread's time as a multiple of it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { areas } from '#apps/composition/areas.js';
import { runOnAccount } from '#areas/billing/run-on-account.js';
import { accountEvents } from '#events/billing/account.events.js';
import { accountDecider } from '#areas/billing/account.decider.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { drawRequestId } from '#platform/runtime/commands/request-id.js';
import { Runtime } from '#platform/runtime/runtime.js';
import { chat, opening, withEngines } from './chat-log.js';
import { runReaders } from './running-readers.js';

const ACCOUNTS = 16;
/** How long the upstream of a chat takes. */
const ANSWER_MS = 12;
/** V8 compiles hot code only after thousands of chats. */
const WARM_UP_MS = 8_000;
/** The kernel reports hundredths of a second. */
const MICROS_PER_TICK = 10_000;

/** CPU microseconds of each thread of this process, by its number. */
const threadTimes = (): ReadonlyMap<string, number> =>
  new Map(
    readdirSync('/proc/self/task').map((thread) => {
      const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'latin1');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return [thread, (Number(fields[11]) + Number(fields[12])) * MICROS_PER_TICK] as const;
    }),
  );

interface Cost {
  readonly main: number;
  /** The busiest of the other threads. */
  readonly writer: number;
  readonly all: number;
}

const costBetween = (
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
  chats: number,
): Cost => {
  const spent = [...after].map(
    ([thread, time]) => [thread, (time - (before.get(thread) ?? 0)) / chats] as const,
  );
  const main = spent.find(([thread]) => thread === String(process.pid))?.[1] ?? 0;
  const others = spent.filter(([thread]) => thread !== String(process.pid));
  const writer = Math.max(...others.map(([, time]) => time));
  return { main, writer, all: spent.reduce((sum, [, time]) => sum + time, 0) };
};

const print = (name: string, { main, writer, all }: Cost): void => {
  const ratio = (main / writer).toFixed(2);
  console.log(
    `${name}: main thread ${main.toFixed(0)} µs a chat, ${ratio} of the writer's ` +
      `(${writer.toFixed(0)}); all threads ${all.toFixed(0)}`,
  );
};

const { values } = parseArgs({
  options: {
    connections: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '6' },
  },
});
const connections = Number(values.connections);
const windowMs = Number(values.seconds) * 1_000;

const home = await mkdtemp(path.join(tmpdir(), 'quipu-live-readers-'));
await withEngines({ QUIPU_HOME: home }, async (engines) => {
  const runtime = new Runtime(engines, areas);
  const { eventStore } = engines;
  const accounts = new CommandRunner({
    decider: accountDecider,
    eventStore,
    codec: runtime.codec.for(accountEvents),
  });
  const ids = Array.from({ length: ACCOUNTS }, (_, index) => `account-${index}`);
  for (const id of ids)
    for (const command of opening(id))
      await runOnAccount(accounts, command, contextOf(drawRequestId(Date.now()), 'system'));

  let chats = 0;
  let isOver = false;
  const ask = async (): Promise<void> => {
    const requestId = drawRequestId(Date.now());
    const context = contextOf(requestId, 'system');
    const accountId = ids[chats % ACCOUNTS] ?? '';
    const [hold, charge] = chat(accountId, Date.now(), requestId);
    await runOnAccount(accounts, hold, context);
    await sleep(ANSWER_MS);
    await runOnAccount(accounts, charge, context);
    chats += 1;
  };
  const asking = Array.from({ length: connections }, async () => {
    while (!isOver) await ask();
  });
  const measure = async (name: string): Promise<void> => {
    await sleep(WARM_UP_MS);
    const [from, before] = [chats, threadTimes()];
    await sleep(windowMs);
    print(name, costBetween(before, threadTimes(), chats - from));
  };

  await measure('without handlers');
  await runReaders(runtime);
  await measure('with the handlers of a standalone');
  isOver = true;
  await Promise.all(asking);
  await runtime.stop();
});
await rm(home, { recursive: true });
