import { describe, expect, it } from '@jest/globals';
import { DamagedEventError } from '#platform/event-store/event-store.errors.js';
import { passes } from '#platform/event-store/event-filter.js';
import {
  type EventStore,
  type ReadAllOptions,
  type RecordedEvent,
} from '#platform/event-store/event-store.port.js';
import { LogWalk } from './log-walk.js';
import { type SubscriptionHandler } from './subscription-handler.js';

const METADATA = { version: 1, correlationId: 'a', causationId: 'a', requestId: 'a', actor: 'cli' };

const eventAt = (position: number, type: string): RecordedEvent => ({
  id: `id-${position}`,
  type,
  data: {},
  metadata: METADATA,
  stream: 'stock-1',
  revision: BigInt(position - 1),
  position: BigInt(position),
  recordedAt: '2026-11-22T00:00:00.000Z',
});

/** A log in memory; a type in `damaged` cannot be read. Counts the events that were read. */
const logOf = (types: readonly string[], damaged = 'none') => {
  const events = types.map((type, index) => eventAt(index + 1, type));
  const read = { events: 0 };
  const store: Pick<EventStore, 'head' | 'readAll'> = {
    head: () => Promise.resolve(BigInt(events.length)),
    // eslint-disable-next-line @typescript-eslint/require-await -- the port reads asynchronously
    async *readAll({ after = 0n, filter }: ReadAllOptions = {}) {
      for (const event of events) {
        if (event.position <= after || (filter && !passes(filter, event))) continue;
        const { position, stream } = event;
        if (event.type === damaged)
          throw new DamagedEventError({ position, stream, reason: 'it is damaged' });
        read.events += 1;
        yield [event];
      }
    },
  };
  return { store: store as EventStore, events, read };
};

class Recorder implements SubscriptionHandler {
  readonly handled: bigint[] = [];
  readonly pages: bigint[] = [];
  /** Runs before each page is handled. */
  before = (): Promise<unknown> => Promise.resolve();

  constructor(
    readonly name: string,
    readonly types: readonly string[],
    private readonly failsAt = 0n,
  ) {}

  checkpoint = () => Promise.resolve(undefined);

  handle: SubscriptionHandler['handle'] = async ({ events, position }) => {
    await this.before();
    if (events.some((event) => event.position === this.failsAt)) throw new Error('a defect');
    this.handled.push(...events.map((event) => event.position));
    this.pages.push(position);
  };
}

const NEVER = new AbortController().signal;

const open = (types: readonly string[], damaged?: string) => {
  const log = logOf(types, damaged);
  const walk = new LogWalk(log.store);
  const catchUp = (
    handler: Recorder,
    { after = 0n, signal = NEVER, onPage = (): void => undefined } = {},
  ): Promise<void> => walk.catchUp(handler, { after, signal, onPage });
  return { ...log, catchUp };
};

const many = (count: number): readonly string[] => Array.from({ length: count }, () => 'Added');
const positionsTo = (count: number) => Array.from({ length: count }, (_, at) => BigInt(at + 1));

describe('the walk of readers that are behind', () => {
  it('hands each the events of its types, in order, and reads each event once', async () => {
    const { catchUp, read } = open(['Added', 'Taken', 'Other', 'Added']);
    const [both, taken] = [new Recorder('both', ['Added', 'Taken']), new Recorder('t', ['Taken'])];
    await Promise.all([catchUp(both), catchUp(taken)]);
    expect(both.handled).toEqual([1n, 2n, 4n]);
    expect(taken.handled).toEqual([2n]);
    expect([both.pages, taken.pages]).toEqual([[4n], [4n]]);
    expect(read.events).toBe(3);
  });

  it('hands every event to a reader of all types', async () => {
    const { catchUp } = open(['Added', 'Taken', 'Other']);
    const [all, taken] = [new Recorder('all', ['']), new Recorder('t', ['Taken'])];
    await Promise.all([catchUp(all), catchUp(taken)]);
    expect([all.handled, taken.handled]).toEqual([[1n, 2n, 3n], [2n]]);
  });

  it('does not take a longer type for its prefix', async () => {
    const { catchUp } = open(['Added', 'AddedAgain']);
    const added = new Recorder('added', ['Added']);
    await catchUp(added);
    expect(added.handled).toEqual([1n]);
  });

  it('continues each reader where it has come to, on one read of the log', async () => {
    const { catchUp, read } = open(many(8_000));
    const readers = [0, 100, 4_000, 7_000].map((after) => {
      const reader = new Recorder(`after ${after}`, ['Added']);
      return { reader, after, ended: catchUp(reader, { after: BigInt(after) }) };
    });
    await Promise.all(readers.map(({ ended }) => ended));
    for (const { reader, after } of readers)
      expect(reader.handled).toEqual(positionsTo(8_000).slice(after));
    expect(read.events).toBe(8_000);
  });

  it('does not let readers near the head wait for one that begins at zero', async () => {
    const { catchUp, read } = open(many(30_000));
    const order: string[] = [];
    const far = new Recorder('far', ['Added']);
    const farEnds = catchUp(far).then(() => order.push('far'));
    // It has begun, when the others join.
    await new Promise((resolve) => {
      far.before = () => {
        resolve(null);
        return Promise.resolve();
      };
    });
    const near = [1, 2].map((number) => new Recorder(`near ${number}`, ['Added']));
    const nearEnd = near.map(async (reader) => {
      await catchUp(reader, { after: 29_500n });
      order.push('near');
    });
    await Promise.all([farEnds, ...nearEnd]);
    expect(order).toEqual(['near', 'near', 'far']);
    expect(far.handled).toEqual(positionsTo(30_000));
    // The pages that the log had ready when the groups changed are read again.
    expect(read.events).toBeLessThan(33_000);
  });

  it('continues without a reader that fails', async () => {
    const { catchUp } = open(['Added', 'Taken']);
    const [good, bad] = [new Recorder('good', ['Added']), new Recorder('bad', ['Taken'], 2n)];
    const [failed] = await Promise.allSettled([catchUp(bad), catchUp(good)]);
    expect(failed).toEqual({ status: 'rejected', reason: new Error('a defect') });
    expect(good.handled).toEqual([1n]);
  });

  it('continues without a slow reader, which rejoins when it has handled its page', async () => {
    const { catchUp } = open(many(6_000));
    const [quick, slow] = [new Recorder('quick', ['Added']), new Recorder('slow', ['Added'])];
    const release = Promise.withResolvers<undefined>();
    slow.before = () => release.promise;
    const slowEnd = catchUp(slow);
    await catchUp(quick);
    expect(quick.handled).toEqual(positionsTo(6_000));
    expect(slow.handled).toEqual([]);
    release.resolve(undefined);
    await slowEnd;
    expect(slow.handled).toEqual(positionsTo(6_000));
  });

  it('reads no page again for slow readers that return one after the other', async () => {
    const { catchUp, read } = open(many(6_000));
    const quick = ['q', 'r', 's'].map((name) => new Recorder(name, ['Added', 'Taken']));
    const slow = ['a', 'b', 'c'].map((name) => {
      const reader = new Recorder(name, ['Added']);
      const release = Promise.withResolvers<undefined>();
      reader.before = () => release.promise;
      return { reader, release, ended: catchUp(reader) };
    });
    await Promise.all(quick.map((reader) => catchUp(reader)));
    for (const { reader, release, ended } of slow) {
      release.resolve(undefined);
      await ended;
      expect(reader.handled).toEqual(positionsTo(6_000));
    }
    expect(read.events).toBe(6_000);
  });

  it('stops only the readers that read a damaged event', async () => {
    const { catchUp } = open(['Added', 'Taken', 'Added'], 'Taken');
    const [added, taken] = [new Recorder('a', ['Added']), new Recorder('t', ['Added', 'Taken'])];
    const [, failed] = await Promise.allSettled([catchUp(added), catchUp(taken)]);
    expect(failed).toMatchObject({ reason: expect.any(DamagedEventError) });
    expect(added.handled).toEqual([1n, 3n]);
  });

  it('fails for all while the log cannot be read', async () => {
    const { catchUp, store } = open(['Added']);
    store.head = () => Promise.reject(new Error('the log is away'));
    const readers = ['a', 'b'].map((name) => catchUp(new Recorder(name, ['Added'])));
    const outcomes = await Promise.allSettled(readers);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  it('reports the position behind each page, and pages grow', async () => {
    const { catchUp } = open(many(9_000));
    const positions: bigint[] = [];
    const onPage = (position?: bigint): void => void positions.push(position ?? 0n);
    await catchUp(new Recorder('one', ['Added']), { onPage });
    expect(positions).toEqual([1_024n, 3_072n, 7_168n, 9_000n]);
  });

  it('ends for a reader that stops, after the page in hand', async () => {
    const { catchUp } = open(many(9_000));
    const stop = new AbortController();
    const one = new Recorder('one', ['Added']);
    one.before = () => {
      stop.abort();
      return Promise.resolve();
    };
    await catchUp(one, { signal: stop.signal });
    expect(one.pages).toEqual([1_024n]);
  });
});
