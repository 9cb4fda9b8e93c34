import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type EventStore, type EventToAppend } from '#platform/event-store/event-store.port.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { type Figure } from './figure.js';

const APPEND_SECONDS = 4;
const STREAMS_PER_CALLER = 16;
const REPLAY_EVENTS = 1_000_000;
const REPLAY_APPEND_EVENTS = 250;
const REPLAY_CALLERS = 16;

const NS_PER_MS = 1e6;

/** By what a figure is called; of the log in this process. */
const TARGETS: Readonly<Record<string, Figure['target']>> = {
  'append, 64 callers': { atLeast: 40_000 },
  'append, 1024 callers': { atLeast: 60_000 },
  'replay of 1,000,000 events': { atLeast: 150_000 },
};

const withTarget = (figure: Figure): Figure => {
  const target = TARGETS[figure.name];
  return target ? { ...figure, target } : figure;
};

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

export const benchAppend = async (store: EventStore, callers: number): Promise<Figure[]> => {
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
  return [
    { name, value: appends / seconds, unit: 'appends/s' },
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

/** @param count a multiple of 4,000: what all callers append at once */
export const benchReplay = async (store: EventStore, count: number): Promise<Figure[]> => {
  await fill(store, count);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const startedAt = performance.now();
  let events = 0;
  for await (const page of store.readAll()) events += page.length;
  const seconds = (performance.now() - startedAt) / 1_000;
  delay.disable();
  if (events !== count) throw new Error(`replayed ${events} of ${count} events`);
  const name = `replay of ${count.toLocaleString('en')} events`;
  return [
    { name, value: events / seconds, unit: 'events/s' },
    {
      name: `${name}: main-loop delay p99`,
      value: delay.percentile(99) / NS_PER_MS,
      unit: 'ms',
    },
  ];
};

/** Every measurement gets a log of its own: none pays for the remains of another. */
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
  figures.push(...(await onFreshLog((store) => benchReplay(store, REPLAY_EVENTS))));
  return figures.map(withTarget);
};
