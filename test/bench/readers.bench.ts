/**
 * Measures what reads the whole log: `npm run readers -- [events] [--home FOLDER] [--only
 * PART] [--store ferretdb|URL]`. CPU time of the process with its threads counts, since the machine
 * may be shared. `--store` names the read store; `ferretdb` starts one. Default: a file.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { areas } from '#apps/composition/areas.js';
import { type OpenEngines } from '#apps/composition/engines.js';
import { LedgerAudit } from '#areas/billing/ledger-audit.js';
import { accountEvents } from '#events/billing/account.events.js';
import { Runtime } from '#platform/runtime/runtime.js';
import { startMongoDb } from '../servers/mongodb/mongodb.server.js';
import { eventsOf, fillLog, withEngines } from './chat-log.js';
import { runReaders } from './running-readers.js';
import { started, stopServer } from './servers.js';

const EVENTS_DEFAULT = 300_000;
const ACCOUNTS = 200;
const MICROS_PER_SECOND = 1e6;

const CHARGES_SMALL = 8;
const SECOND_MS = 1_000;

interface Measured {
  readonly events: number;
  readonly seconds: number;
  readonly cpuMicros: number;
}

const measured = async (events: number, work: () => Promise<unknown>): Promise<Measured> => {
  const cpu = process.cpuUsage();
  const startedAtMs = performance.now();
  await work();
  const seconds = (performance.now() - startedAtMs) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  return { events, seconds, cpuMicros: user + system };
};

const print = (name: string, { events, seconds, cpuMicros }: Measured): void => {
  const rate = Math.round(events / seconds).toLocaleString('en');
  const perEvent = (cpuMicros / events).toFixed(2);
  const rss = (process.memoryUsage.rss() / MICROS_PER_SECOND).toFixed(0);
  console.log(`${name}: ${rate} events/s, ${perEvent} µs of CPU an event, RSS ${rss} MB`);
};

const replay = async ({ eventStore }: OpenEngines): Promise<number> => {
  let events = 0;
  for await (const page of eventStore.readAll()) events += page.length;
  return events;
};

const foldAccounts = async ({ eventStore }: OpenEngines, { codec }: Runtime): Promise<void> => {
  const audit = new LedgerAudit();
  const accounts = codec.for(accountEvents);
  for await (const page of eventStore.readAll({ filter: { by: 'stream', prefixes: ['account-'] } }))
    for (const recorded of page) audit.take(accounts.revive(recorded), recorded.position);
  if (audit.faults.length > 0) throw new Error(`the ledger has ${audit.faults.length} faults`);
};

const checkChain = async ({ eventStore }: OpenEngines): Promise<void> => {
  const report = await eventStore.chain?.check({ upTo: await eventStore.head() });
  if (!report || report.damaged.length > 0) throw new Error('the chain of the log is damaged');
};

const rebuildAll = async ({ projectionHost }: Runtime): Promise<void> => {
  const names = areas.flatMap(({ projections }) => projections.map(({ name }) => name));
  await projectionHost.rebuildAll(names);
};

/** The work of a projector from an empty read store until it is live. */
const catchUp = async (runtime: Runtime): Promise<void> => {
  await runReaders(runtime);
  await runtime.stop();
};

const PARTS = {
  replay,
  chain: checkChain,
  check: (engines: OpenEngines, runtime: Runtime) =>
    Promise.all([checkChain(engines), foldAccounts(engines, runtime)]),
  rebuild: (_: OpenEngines, runtime: Runtime) => rebuildAll(runtime),
  'catch-up': (_: OpenEngines, runtime: Runtime) => catchUp(runtime),
} as const;

const measureReaders = (environment: NodeJS.ProcessEnv, only: string | undefined): Promise<void> =>
  withEngines(environment, async (engines) => {
    const runtime = new Runtime(engines, areas);
    const events = Number(await engines.eventStore.head());
    for (const [name, work] of Object.entries(PARTS))
      if (only === undefined || only === name)
        print(name, await measured(events, () => Promise.resolve(work(engines, runtime))));
  });

const { values, positionals } = parseArgs({
  options: {
    home: { type: 'string' },
    only: { type: 'string' },
    store: { type: 'string' },
  },
  allowPositionals: true,
});
const events = Number(positionals[0] ?? EVENTS_DEFAULT);
const home = values.home ?? (await mkdtemp(path.join(tmpdir(), 'quipu-readers-')));
if (!existsSync(path.join(home, 'events.db'))) {
  const charges = Math.max(CHARGES_SMALL, Math.round((events / ACCOUNTS - eventsOf(0)) / 2));
  const filling = () => fillLog(home, { accounts: ACCOUNTS, charges, everyMs: SECOND_MS });
  print('filling', await measured(ACCOUNTS * eventsOf(charges), filling));
}
const server = values.store === 'ferretdb' ? await started(startMongoDb()) : undefined;
const store = server?.url ?? values.store;
const environment = { QUIPU_HOME: home, ...(store !== undefined && { QUIPU_READ_STORE: store }) };
await measureReaders(environment, values.only);
if (server) await stopServer(server);
if (values.home === undefined) await rm(home, { recursive: true });
