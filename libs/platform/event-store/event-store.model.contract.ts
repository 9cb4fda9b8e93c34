import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { StaleRevisionError } from './event-store.errors.js';
import {
  type AppendResult,
  type Direction,
  type EventFilter,
  type EventStore,
  type EventToAppend,
  type ExpectedRevision,
  type Position,
} from './event-store.port.js';
import { event, onFreshLog, type OpenLog, readLog, readStream } from './event-store.fixture.js';

const TYPES = ['JobSubmitted', 'JobStarted', 'HoldPlaced'] as const;

type Operation =
  | {
      readonly kind: 'append';
      readonly stream: number;
      readonly expected: 'any' | 'no-stream' | 'stream-exists' | 'right' | number;
      readonly types: readonly string[];
    }
  | { readonly kind: 'repeat'; readonly which: number }
  | {
      readonly kind: 'read';
      readonly stream: number;
      readonly direction: Direction;
      readonly from: number;
      readonly maxCount: number;
    }
  | { readonly kind: 'read-all'; readonly filter: EventFilter; readonly maxCount: number };

const streams = fc.nat({ max: 2 });

const operations: fc.Arbitrary<readonly Operation[]> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('append' as const),
      stream: streams,
      expected: fc.oneof(
        { weight: 3, arbitrary: fc.constant('right' as const) },
        fc.constantFrom('any' as const, 'no-stream' as const, 'stream-exists' as const),
        fc.nat({ max: 6 }),
      ),
      types: fc.array(fc.constantFrom(...TYPES), { minLength: 1, maxLength: 4 }),
    }),
    fc.record({ kind: fc.constant('repeat' as const), which: fc.nat() }),
    fc.record({
      kind: fc.constant('read' as const),
      stream: streams,
      direction: fc.constantFrom<Direction>('forwards', 'backwards'),
      from: fc.nat({ max: 12 }),
      maxCount: fc.nat({ max: 8 }),
    }),
    fc.record({
      kind: fc.constant('read-all' as const),
      filter: fc.record({
        by: fc.constant('type' as const),
        prefixes: fc.array(fc.constantFrom('Job', 'JobS', 'Hold', 'None'), { minLength: 1 }),
      }),
      maxCount: fc.nat({ max: 20 }),
    }),
  ),
  { maxLength: 40 },
);

interface ModelEvent {
  readonly id: string;
  readonly type: string;
  readonly stream: string;
  readonly revision: bigint;
}

interface Accepted {
  readonly stream: string;
  readonly events: readonly EventToAppend[];
  readonly expected: ExpectedRevision;
  readonly result: AppendResult;
}

/** The model of a log: a list. Positions are chosen by the store; only their order is promised. */
class ModelLog {
  readonly events: ModelEvent[] = [];
  /** Appends at an exact place: only those are certain to be recognised when repeated. */
  readonly accepted: Accepted[] = [];

  of(stream: string): ModelEvent[] {
    return this.events.filter((event) => event.stream === stream);
  }

  accepts(stream: string, expected: ExpectedRevision): boolean {
    const { length } = this.of(stream);
    if (expected === 'any') return true;
    if (expected === 'no-stream') return length === 0;
    if (expected === 'stream-exists') return length > 0;
    return expected === BigInt(length - 1);
  }

  add(stream: string, events: readonly EventToAppend[]): bigint {
    for (const { id, type } of events) {
      this.events.push({ id, type, stream, revision: BigInt(this.of(stream).length) });
    }
    return BigInt(this.of(stream).length - 1);
  }
}

/** One run: its streams carry the run's number, so that runs share a log without meeting. */
class Run {
  readonly model = new ModelLog();
  readonly #store: EventStore;
  readonly #number: number;
  /** Where the log ended when the run began. */
  readonly #start: Position;

  constructor(store: EventStore, number: number, start: Position) {
    this.#store = store;
    this.#number = number;
    this.#start = start;
  }

  async perform(operation: Operation): Promise<void> {
    switch (operation.kind) {
      case 'append':
        return this.#append(operation);
      case 'repeat':
        return this.#repeat(operation.which);
      case 'read':
        return this.#read(operation);
      case 'read-all':
        return this.#readAll(operation.filter, operation.maxCount);
    }
  }

  async check(): Promise<void> {
    const filter: EventFilter = { by: 'stream', prefixes: [`run${this.#number}-`] };
    expect(await readLog(this.#store, { filter })).toMatchObject(this.model.events);
  }

  #stream(index: number): string {
    return `run${this.#number}-${index}`;
  }

  async #append(operation: Operation & { kind: 'append' }): Promise<void> {
    const stream = this.#stream(operation.stream);
    const { length } = this.model.of(stream);
    const right = length === 0 ? 'no-stream' : BigInt(length - 1);
    const asked = operation.expected;
    const expected = asked === 'right' ? right : typeof asked === 'number' ? BigInt(asked) : asked;
    const events = operation.types.map((type) => event(type));
    const append = this.#store.append(stream, events, expected);
    if (!this.model.accepts(stream, expected)) {
      await expect(append).rejects.toThrow(StaleRevisionError);
      return;
    }
    const result = await append;
    expect(result.revision).toBe(this.model.add(stream, events));
    if (expected === right) this.model.accepted.push({ stream, events, expected, result });
  }

  async #repeat(which: number): Promise<void> {
    const { accepted } = this.model;
    const first = accepted[which % Math.max(accepted.length, 1)];
    if (first === undefined) return;
    const { stream, events, expected, result } = first;
    expect(await this.#store.append(stream, events, expected)).toEqual(result);
  }

  async #read({ stream, direction, from, maxCount }: Operation & { kind: 'read' }): Promise<void> {
    const name = this.#stream(stream);
    const options = { direction, from: BigInt(from), maxCount };
    const events = this.model.of(name);
    const wanted =
      direction === 'forwards' ? events.slice(from) : events.slice(0, from + 1).reverse();
    const read = await readStream(this.#store, name, options);
    expect(read).toMatchObject(wanted.slice(0, maxCount));
    expect(read).toHaveLength(Math.min(wanted.length, maxCount));
  }

  async #readAll(filter: EventFilter, maxCount: number): Promise<void> {
    const wanted = this.model.events.filter(({ type }) =>
      filter.prefixes.some((prefix) => type.startsWith(prefix)),
    );
    const read = await readLog(this.#store, { after: this.#start, filter, maxCount });
    expect(read).toMatchObject(wanted.slice(0, maxCount));
  }
}

export const followsTheModel = (open: OpenLog): void => {
  it(
    'agrees with a list in memory, whatever is appended, repeated and read',
    onFreshLog(open, async (store) => {
      let runs = 0;
      await fc.assert(
        fc.asyncProperty(operations, async (sequence) => {
          runs += 1;
          const run = new Run(store, runs, await store.head());
          for (const operation of sequence) await run.perform(operation);
          await run.check();
        }),
        { numRuns: 60 },
      );
    }),
  );
};
