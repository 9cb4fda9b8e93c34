import { describe, expect, it } from '@jest/globals';
import { DamagedEventError } from '#platform/event-store/event-store.errors.js';
import { passes } from '#platform/event-store/event-filter.js';
import {
  type EventStore,
  type ReadAllOptions,
  type RecordedEvent,
} from '#platform/event-store/event-store.port.js';
import { RebuildWalk, type WalkHandler } from './rebuild-walk.js';
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

class Recorder implements WalkHandler {
  settled: bigint | undefined;
  readonly handled: bigint[] = [];
  position: bigint | undefined;

  constructor(
    readonly name: string,
    readonly types: readonly string[],
    private readonly failsAt = 0n,
  ) {}

  checkpoint = () => Promise.resolve(this.position);

  handle: SubscriptionHandler['handle'] = ({ events, position }) => {
    if (events.some((event) => event.position === this.failsAt)) throw new Error('a defect');
    this.handled.push(...events.map((event) => event.position));
    this.position = position;
    return Promise.resolve();
  };

  settle = (position: bigint): Promise<void> => {
    this.settled = position;
    return Promise.resolve();
  };
}

const ignore = (): void => undefined;

describe('a walk over the log for several handlers', () => {
  it('hands each the events of its types, in order, and reads each event once', async () => {
    const { store, read } = logOf(['Added', 'Taken', 'Other', 'Added']);
    const [both, taken] = [new Recorder('both', ['Added', 'Taken']), new Recorder('t', ['Taken'])];
    const failures = await new RebuildWalk([both, taken], store).run(ignore);
    expect(failures.size).toBe(0);
    expect(both.handled).toEqual([1n, 2n, 4n]);
    expect(taken.handled).toEqual([2n]);
    expect([both.position, taken.position]).toEqual([4n, 4n]);
    expect([both.settled, taken.settled]).toEqual([4n, 4n]);
    expect(read.events).toBe(3);
  });

  it('does not take a longer type for its prefix', async () => {
    const { store } = logOf(['Added', 'AddedAgain']);
    const added = new Recorder('added', ['Added']);
    await new RebuildWalk([added], store).run(ignore);
    expect(added.handled).toEqual([1n]);
  });

  it('continues each handler where it has come to', async () => {
    const { store } = logOf(['Added', 'Added', 'Added']);
    const [one, other] = [new Recorder('one', ['Added']), new Recorder('other', ['Added'])];
    one.position = 2n;
    await new RebuildWalk([one, other], store).run(ignore);
    expect([one.handled, other.handled]).toEqual([[3n], [1n, 2n, 3n]]);
  });

  it('goes on without a handler that fails', async () => {
    const { store } = logOf(['Added', 'Taken']);
    const [good, bad] = [new Recorder('good', ['Added']), new Recorder('bad', ['Taken'], 2n)];
    const failures = await new RebuildWalk([bad, good], store).run(ignore);
    expect([...failures]).toEqual([[bad, { position: 0n, error: new Error('a defect') }]]);
    expect([good.handled, good.settled, bad.settled]).toEqual([[1n], 2n, undefined]);
  });

  it('stops only those that read a damaged event', async () => {
    const { store } = logOf(['Added', 'Taken', 'Added'], 'Taken');
    const [added, taken] = [new Recorder('a', ['Added']), new Recorder('t', ['Added', 'Taken'])];
    const failures = await new RebuildWalk([taken, added], store).run(ignore);
    expect([...failures.keys()]).toEqual([taken]);
    expect(failures.get(taken)?.error).toBeInstanceOf(DamagedEventError);
    expect([added.handled, added.position]).toEqual([[1n, 3n], 3n]);
  });

  it('reports its progress, and ends with what that throws', async () => {
    const { store } = logOf(['Added', 'Added']);
    const positions: bigint[] = [];
    const note = (position: bigint): void => void positions.push(position);
    await new RebuildWalk([new Recorder('a', ['Added'])], store).run(note);
    expect(positions).toEqual([2n]);
    const stop = (): void => {
      throw new Error('that is enough');
    };
    const stopped = new RebuildWalk([new Recorder('a', ['Added'])], store).run(stop);
    await expect(stopped).rejects.toThrow('that is enough');
  });

  it('makes several writes of a long log', async () => {
    const { store } = logOf(Array.from({ length: 5_000 }, () => 'Added'));
    const one = new Recorder('one', ['Added']);
    const positions: bigint[] = [];
    await new RebuildWalk([one], store).run((position) => void positions.push(position));
    expect(positions).toEqual([4_096n, 5_000n]);
    expect(one.handled).toHaveLength(5_000);
  });
});
