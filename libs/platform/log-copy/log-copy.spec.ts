import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { logRootOf } from '#platform/audit/log-root.js';
import { counted, event, readLog } from '#platform/event-store/event-store.fixture.js';
import { openEventStoreDb } from '#platform/event-store/eventstoredb/eventstoredb-event-store.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import {
  openServedTestLog,
  type ServedTestLog,
} from '#platform/event-store/grpc/served-log.fixture.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { ForeignTargetError, LogCopy } from './log-copy.js';

const MEBIBYTE = 1_048_576;

describe('a copy of a log', () => {
  let folder: string;
  const stores: EventStore[] = [];
  const logs: ServedTestLog[] = [];

  const keep = (store: EventStore): EventStore => {
    stores.push(store);
    return store;
  };

  const embedded = async (name: string): Promise<EventStore> =>
    keep(await openSqliteEventStore({ file: path.join(folder, `${name}.db`) }));

  const serve = async (): Promise<ServedTestLog> => {
    const served = await openServedTestLog();
    logs.push(served);
    return served;
  };

  const through = async ({ address }: ServedTestLog, prefix = ''): Promise<EventStore> =>
    keep(await openEventStoreDb({ url: `kurrentdb://${address}?tls=false`, prefix }));

  /** Streams that take turns, one alone, an old instant, and events of nearly a mebibyte. */
  const fill = async (source: EventStore, turns = 150): Promise<void> => {
    for (let turn = 0; turn < turns; turn += 1) {
      await Promise.all([
        source.append(`account-${turn % 7}`, counted(1 + (turn % 3), turn), 'any'),
        source.append(`job-${turn % 5}`, counted(2, turn), 'any'),
      ]);
    }
    await source.append('job-old', [{ ...event(), recordedAt: '2019-01-01T00:00:00.000Z' }], 'any');
    await source.append('blob-1', [event('Large', { text: 'x'.repeat(MEBIBYTE - 1_000) })], 'any');
    await source.append('job-alone', counted(900), 'any');
  };

  const bare = async (store: EventStore) =>
    (await readLog(store)).map(({ position: _, ...said }) => said);

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-copy-'));
  });

  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await Promise.all(logs.splice(0).map((log) => log.dispose()));
    await rm(folder, { recursive: true });
  });

  it('is the same log on another file, on a server and back', async () => {
    const source = await embedded('source');
    await fill(source);
    const served = await serve();
    await served.direct.append('foreign-1', counted(3), 'any');
    const there = await through(served, 'moved');
    const back = await embedded('back');
    const events = await bare(source);
    const { root } = await logRootOf(source);
    for (const [from, to] of [
      [source, there],
      [there, back],
    ] as const) {
      const copy = new LogCopy(from, to);
      expect((await copy.run()).copied).toBe(events.length);
      expect(await copy.compare()).toEqual({ events: events.length, root: root.toString('hex') });
    }
    expect(await bare(there)).toEqual(events);
    expect(await bare(back)).toEqual(events);
    expect((await back.chain?.check({ upTo: await back.head() }))?.damaged).toEqual([]);
  });

  it('continues where it was stopped, at any event', async () => {
    const source = await embedded('source');
    await fill(source, 40);
    const events = await bare(source);
    // A kill leaves the beginning of the log.
    for (const stop of [0, 1, 2, 63, 64, events.length - 1]) {
      const partial = await embedded(`stopped-${stop}`);
      for (const { stream, revision, ...one } of events.slice(0, stop)) {
        await partial.append(stream, [one], revision === 0n ? 'no-stream' : revision - 1n);
      }
      const copy = new LogCopy(source, partial);
      expect((await copy.run()).copied).toBe(events.length);
      expect(await bare(partial)).toEqual(events);
    }
  });

  it('stops between two appends when it is asked to', async () => {
    const source = await embedded('source');
    await fill(source, 300);
    const target = await embedded('target');
    const stopping = new AbortController();
    const onProgress = (): void => stopping.abort();
    const { copied } = await new LogCopy(source, target).run({
      onProgress,
      signal: stopping.signal,
    });
    const { length } = await readLog(source);
    expect(copied).toBeLessThan(length);
    const copy = new LogCopy(source, target);
    expect((await copy.run()).copied).toBe(length);
    expect((await copy.compare()).events).toBe(length);
  });

  it('survives lost answers, dropped connections and a restart of the server', async () => {
    const source = await embedded('source');
    await fill(source, 400);
    const served = await serve();
    const target = await through(served);
    let disturbances = 0;
    const disturb = [
      () => served.faulty.failNext({ kind: 'lost-answer' }),
      () => served.dropConnections(),
      () => void served.kill().then(() => served.restart()),
    ];
    const onProgress = (): void => {
      disturb[disturbances]?.();
      disturbances += 1;
    };
    const copy = new LogCopy(source, target);
    await copy.run({ onProgress });
    expect(disturbances).toBeGreaterThanOrEqual(disturb.length);
    expect(await bare(target)).toEqual(await bare(source));
    await copy.compare();
  });

  it('keeps the order of a server that loses single appends, one by one', async () => {
    const source = await embedded('source');
    await fill(source, 30);
    const served = await serve();
    const target = await through(served);
    served.faulty.failNext({ kind: 'lost-request' }, { kind: 'lost-request' });
    await new LogCopy(source, target).run({ oneByOne: true });
    expect(await bare(target)).toEqual(await bare(source));
  });

  it('follows a source that grows, until it is stopped', async () => {
    const source = await embedded('source');
    await fill(source, 20);
    const target = await through(await serve());
    const copy = new LogCopy(source, target);
    const stopping = new AbortController();
    const following = copy.follow(source, { signal: stopping.signal });
    for (let turn = 0; turn < 60; turn += 1) {
      await source.append(`account-${turn % 7}`, counted(2), 'any');
      if (turn % 10 === 0) await sleep(20);
    }
    const count = (await readLog(source)).length;
    while ((await readLog(target)).length < count) await sleep(10);
    stopping.abort();
    expect((await following).copied).toBe(count);
    expect((await copy.compare()).events).toBe(count);
  });

  it('is refused where the target holds something else', async () => {
    const source = await embedded('source');
    await source.append('job-1', counted(3), 'no-stream');
    const other = await embedded('other');
    await other.append('job-1', counted(1), 'no-stream');
    await expect(new LogCopy(source, other).run()).rejects.toThrow(
      'event 1 is Counted at revision 0 of job-1 in the source and Counted at revision 0 of job-1',
    );
    const longer = await embedded('longer');
    await new LogCopy(source, longer).run();
    await longer.append('job-1', counted(1), 2n);
    await expect(new LogCopy(source, longer).run()).rejects.toThrow(ForeignTargetError);
  });

  it('tells a target that lacks events from one that is whole', async () => {
    const source = await embedded('source');
    const target = await embedded('target');
    await source.append('job-1', counted(3), 'no-stream');
    const copy = new LogCopy(source, target);
    await copy.run();
    await source.append('job-1', counted(1), 2n);
    await expect(copy.compare()).rejects.toThrow('the target lacks event 4');
  });
});
