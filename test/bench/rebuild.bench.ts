import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { areas } from '#apps/composition/areas.js';
import { type OpenEngines } from '#apps/composition/engines.js';
import { collectionOf } from '#platform/runtime/projections/generations.js';
import { Runtime } from '#platform/runtime/runtime.js';
import { startMongoDb } from '../servers/mongodb/mongodb.server.js';
import { type BenchOptions } from './bench-options.js';
import { eventsOf, fillLog, withEngines } from './chat-log.js';
import { type Figure } from './figure.js';
import { started, stopServer } from './servers.js';

/** Of each account. */
const CHARGES = 8;
const MINUTE_MS = 60_000;
const ACCOUNTS = 150;
const ACCOUNTS_QUICK = 40;
/** The factor by which a file's log is larger in less than the server's time. */
const LARGER_LOG = 20;

/** Documents of each projection after the rebuild, the largest collection last. */
const documentsOf = async (
  { projectionHost }: Runtime,
  { readStore }: OpenEngines,
): Promise<readonly number[]> => {
  const stored = await projectionHost.stored();
  const counts = await Promise.all(
    stored.map(async ({ projection, serving }) =>
      serving === null ? 0 : await readStore.count(collectionOf(projection, serving)),
    ),
  );
  return counts.sort((one, other) => one - other);
};

/** All projections at once, as `quipu projections rebuild --all` does it. */
const rebuild = (
  name: string,
  environment: NodeJS.ProcessEnv,
  events: number,
): Promise<readonly Figure[]> =>
  withEngines(environment, async (engines) => {
    const runtime = new Runtime(engines, areas);
    const names = areas.flatMap(({ projections }) => projections.map((one) => one.name));
    const startedAtMs = performance.now();
    await runtime.projectionHost.rebuildAll(names);
    const seconds = (performance.now() - startedAtMs) / 1_000;
    const counts = await documentsOf(runtime, engines);
    const documents = counts.reduce((sum, count) => sum + count, 0);
    const largest = (counts.at(-1) ?? 0).toLocaleString('en');
    const log = `${events.toLocaleString('en')} events`;
    const shown = `${documents.toLocaleString('en')} documents, ${largest} in one collection`;
    const figure = `rebuild on ${name}, ${log}, ${shown}`;
    return [
      { name: figure, value: events / seconds, unit: 'events/s' },
      { name: figure, value: documents / seconds, unit: 'documents/s' },
      { name: figure, value: seconds, unit: 's' },
    ];
  });

interface Log {
  readonly home: string;
  readonly events: number;
}

const newLog = async (directory: string, accounts: number): Promise<Log> => {
  const home = await mkdtemp(path.join(directory, 'rebuild-'));
  await fillLog(home, { accounts, charges: CHARGES, everyMs: MINUTE_MS });
  return { home, events: accounts * eventsOf(CHARGES) };
};

/** How fast read models are rebuilt from one log, in a file and on a server. */
export const benchRebuild = async ({
  directory,
  isQuick,
}: BenchOptions): Promise<readonly Figure[]> => {
  const accounts = isQuick ? ACCOUNTS_QUICK : ACCOUNTS;
  const [log, larger] = await Promise.all([
    newLog(directory, accounts),
    newLog(directory, accounts * LARGER_LOG),
  ]);
  const figures: Figure[] = [];
  for (const { home, events } of [log, larger])
    figures.push(...(await rebuild('SQLite', { QUIPU_HOME: home }, events)));
  const mongodb = await started(startMongoDb());
  const environment = { QUIPU_HOME: log.home, QUIPU_READ_STORE: mongodb.url };
  figures.push(...(await rebuild('MongoDB wire', environment, log.events)));
  await stopServer(mongodb);
  return figures;
};
