/**
 * Measures copies of a log: `npm run log-copy -- [events]`. The node is a process of its own. CPU
 * time of the copying process counts, since the machine may be shared; the limit that one process
 * can reach is a core over it.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openEventStoreDb } from '#platform/event-store/eventstoredb/eventstoredb-event-store.js';
import { type EventStore, type EventToAppend } from '#platform/event-store/event-store.port.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { type CopyOptions, LogCopy } from '#platform/log-copy/log-copy.js';
import { startEventStoreNode } from '../servers/event-store/event-store.server.js';

const EVENTS_DEFAULT = 30_000;
const ACCOUNTS = 50;
/** One append after the other is slow: a part shows it. */
const ONE_BY_ONE_SHARE = 10;
const MICROS_PER_SECOND = 1e6;

/** About 700 bytes with its metadata, as the charge of a chat. */
const chargeLike = (): EventToAppend => {
  const id = randomUUID();
  const metadata = {
    version: 1,
    correlationId: id,
    causationId: id,
    requestId: id,
    actor: 'user:1',
  };
  const data = { holdId: id, amountMicroUsd: '1234', evidence: 'x'.repeat(350) };
  return { id, type: 'HoldCaptured', data, metadata };
};

/** Accounts take turns, so that hardly two neighbours are of one stream. */
const fill = async (store: EventStore, events: number): Promise<void> => {
  for (let left = events; left > 0; left -= ACCOUNTS) {
    const turn = Array.from({ length: Math.min(left, ACCOUNTS) }, (_, account) =>
      store.append(`account-${account}`, [chargeLike()], 'any'),
    );
    await Promise.all(turn);
  }
};

const measured = async (
  name: string,
  source: EventStore,
  target: EventStore,
  options: CopyOptions = {},
): Promise<void> => {
  const cpu = process.cpuUsage();
  const startedAtMs = performance.now();
  const { copied } = await new LogCopy(source, target).run(options);
  const seconds = (performance.now() - startedAtMs) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  const micros = (user + system) / copied;
  const limit = MICROS_PER_SECOND / micros;
  const rate = copied / seconds;
  console.log(
    `${name}: ${rate.toFixed(0)} events/s, ${((100 * rate) / limit).toFixed(0)} % of the ` +
      `${limit.toFixed(0)} that a core copies (${micros.toFixed(0)} µs of CPU an event)`,
  );
};

const main = async (events: number): Promise<void> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'quipu-copy-bench-'));
  const node = await startEventStoreNode();
  const url = node.url.replace(/^esdb/, 'kurrentdb');
  const file = (name: string) => openSqliteEventStore({ file: path.join(folder, `${name}.db`) });
  const [source, part, other, back] = await Promise.all(
    ['source', 'part', 'other', 'back'].map(file),
  );
  const [served, slow] = await Promise.all(
    ['one', 'two'].map((prefix) => openEventStoreDb({ url, prefix })),
  );
  if (!source || !part || !other || !back || !served || !slow) throw new Error('not open');
  try {
    await fill(source, events);
    await fill(part, Math.ceil(events / ONE_BY_ONE_SHARE));
    await measured('file to file', source, other);
    await measured('file to a node', source, served);
    await measured('file to a node, one by one', part, slow, { oneByOne: true });
    await measured('node to file', served, back);
  } finally {
    await Promise.all([source, part, other, back, served, slow].map((store) => store.close()));
    await node.stop();
    await rm(folder, { recursive: true });
  }
};

await main(Number(process.argv[2] ?? EVENTS_DEFAULT));
