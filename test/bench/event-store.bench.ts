import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
// Relative, because this folder has a package.json of its own and with it no subpath imports.
import {
  type EventStore,
  type EventToAppend,
} from '../../libs/platform/event-store/event-store.port.js';
import { openSqliteEventStore } from '../../libs/platform/event-store/sqlite/sqlite-event-store.js';
import { type Figure } from './figure.js';

const APPEND_SECONDS = 4;
const STREAMS_PER_CALLER = 16;
const REPLAY_EVENTS = 1_000_000;
const REPLAY_APPEND_EVENTS = 250;
const REPLAY_CALLERS = 16;

const NS_PER_MS = 1e6;

const APPEND_TARGETS: Readonly<Record<number, Figure['target']>> = {
  64: { atLeast: 40_000 },
  1024: { atLeast: 60_000 },
};
const REPLAY_TARGET = { atLeast: 150_000 };

/** About 300 bytes with its metadata: what a hold or a charge weighs. */
const chargeLikeEvent = (): EventToAppend => {
  const requestId = randomUUID();
  return {
    id: randomUUID(),
    type: 'ChargeCaptured',
    data: { holdId: requestId, amountMicroUsd: '1234', balanceMicroUsd: '9998766', rig: 'local' },
    metadata: {
      version: 1,
      correlationId: requestId,
      causationId: requestId,
      requestId,
      actor: 'user:demo',
    },
  };
};

/** Appends one event after another, in turns over streams of its own, until the time is over. */
const appendUntil = async (store: EventStore, endsAt: number): Promise<number> => {
  const streams = Array.from({ length: STREAMS_PER_CALLER }, () => `account-${randomUUID()}`);
  let appended = 0;
  while (performance.now() < endsAt) {
    const turn = BigInt(Math.floor(appended / STREAMS_PER_CALLER));
    const stream = streams[appended % STREAMS_PER_CALLER] ?? '';
    await store.append(stream, [chargeLikeEvent()], turn === 0n ? 'no-stream' : turn - 1n);
    appended += 1;
  }
  return appended;
};

const benchAppend = async (store: EventStore, callers: number): Promise<Figure[]> => {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const cpu = process.cpuUsage();
  const main = process.threadCpuUsage();
  const startedAt = performance.now();
  const endsAt = startedAt + APPEND_SECONDS * 1_000;
  const counts = await Promise.all(
    Array.from({ length: callers }, () => appendUntil(store, endsAt)),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  const mainCpu = process.threadCpuUsage(main);
  delay.disable();
  const appends = counts.reduce((sum, count) => sum + count, 0);
  const name = `append, ${callers} ${callers === 1 ? 'caller' : 'callers'}`;
  const target = APPEND_TARGETS[callers];
  return [
    { name, value: appends / seconds, unit: 'appends/s', ...(target && { target }) },
    { name: `${name}: CPU`, value: (user + system) / appends, unit: 'us/append' },
    {
      name: `${name}: CPU of the main thread`,
      value: (mainCpu.user + mainCpu.system) / appends,
      unit: 'us/append',
    },
    {
      name: `${name}: mean latency`,
      value: (seconds * 1_000 * callers) / appends,
      unit: 'ms',
    },
    {
      name: `${name}: main-loop delay p99`,
      value: delay.percentile(99) / NS_PER_MS,
      unit: 'ms',
    },
  ];
};

const fill = async (store: EventStore, events: number): Promise<void> => {
  const appends = events / REPLAY_APPEND_EVENTS / REPLAY_CALLERS;
  await Promise.all(
    Array.from({ length: REPLAY_CALLERS }, async () => {
      for (let done = 0; done < appends; done += 1) {
        const batch = Array.from({ length: REPLAY_APPEND_EVENTS }, chargeLikeEvent);
        await store.append(`account-${randomUUID()}`, batch, 'no-stream');
      }
    }),
  );
};

const benchReplay = async (store: EventStore): Promise<Figure[]> => {
  await fill(store, REPLAY_EVENTS);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const startedAt = performance.now();
  let events = 0;
  for await (const page of store.readAll()) events += page.length;
  const seconds = (performance.now() - startedAt) / 1_000;
  delay.disable();
  if (events !== REPLAY_EVENTS) throw new Error(`replayed ${events} of ${REPLAY_EVENTS} events`);
  const name = `replay of ${REPLAY_EVENTS.toLocaleString('en')} events`;
  return [
    { name, value: events / seconds, unit: 'events/s', target: REPLAY_TARGET },
    {
      name: `${name}: main-loop delay p99`,
      value: delay.percentile(99) / NS_PER_MS,
      unit: 'ms',
    },
  ];
};

/** Every measurement gets a log of its own: none pays for what another left behind. */
const onFreshLog = async (measure: (store: EventStore) => Promise<Figure[]>): Promise<Figure[]> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'quipu-bench-'));
  const store = await openSqliteEventStore({ file: path.join(folder, 'events.db') });
  try {
    return await measure(store);
  } finally {
    await store.close();
    await rm(folder, { recursive: true });
  }
};

/** Durable appends at three loads, then a replay of a large log. */
export const benchEventStore = async (): Promise<Figure[]> => {
  const figures: Figure[] = [];
  for (const callers of [1, 64, 1024]) {
    figures.push(...(await onFreshLog((store) => benchAppend(store, callers))));
  }
  figures.push(...(await onFreshLog(benchReplay)));
  return figures;
};
