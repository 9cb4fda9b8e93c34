/**
 * Measures what reads the whole log: `npm run readers -- [events] [--home FOLDER] [--only
 * PART] [--store ferretdb|URL] [--node]`. CPU time of the process with its threads counts, since
 * the machine may be shared. `--store` names the read store; `ferretdb` starts one. Default: a
 * file. `--node` also catches up from a node that serves the log, and says how often it read it.
 */
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { areas } from '#apps/composition/areas.js';
import { type OpenEngines } from '#apps/composition/engines.js';
import { LedgerAudit } from '#areas/billing/ledger-audit.js';
import { accountEvents } from '#events/billing/account.events.js';
import { Runtime } from '#platform/runtime/runtime.js';
import { SUBJECT_KEYS_FILE } from '#platform/secrets/secrets.js';
import { startMongoDb } from '../servers/mongodb/mongodb.server.js';
import { eventsOf, fillLog, withEngines } from './chat-log.js';
import { startEventStoreNode } from './quipu-fleet.peer.js';
import { OPERATIONS_TOKEN } from './quipu.peer.js';
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

/** A start from an empty read store on a log that a node serves. */
const measureNode = async (home: string): Promise<void> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'quipu-readers-node-'));
  const node = await startEventStoreNode(home, folder);
  const eventsRead = async (): Promise<number> => {
    const headers = { authorization: `Bearer ${OPERATIONS_TOKEN}` };
    const answer = await fetch(`http://127.0.0.1:${node.process.port}/metrics`, { headers });
    const [, count] = /^quipu_log_events_read_total (\d+)$/m.exec(await answer.text()) ?? [];
    return Number(count);
  };
  const environment = { QUIPU_HOME: folder, QUIPU_EVENT_STORE: `esdb://${node.address}` };
  try {
    await copyFile(path.join(home, 'master.key'), path.join(folder, 'master.key'));
    await copyFile(path.join(home, SUBJECT_KEYS_FILE), path.join(folder, SUBJECT_KEYS_FILE));
    await withEngines(environment, async (engines) => {
      const runtime = new Runtime(engines, areas);
      const events = Number(await engines.eventStore.head());
      const before = await eventsRead();
      print('catch-up from a node', await measured(events, () => catchUp(runtime)));
      const times = (((await eventsRead()) - before) / events).toFixed(2);
      console.log(`the node read the log ${times} times`);
    });
  } finally {
    await node.process.stop();
    await rm(folder, { recursive: true });
  }
};

const { values, positionals } = parseArgs({
  options: {
    node: { type: 'boolean', default: false },
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
if (values.node) await measureNode(home);
if (server) await stopServer(server);
if (values.home === undefined) await rm(home, { recursive: true });
