import { expect } from '@jest/globals';
import fc from 'fast-check';
import { type ListOptions, type ReadStore, type ReadStoreCommit } from './read-store.port.js';

type Step =
  | ({ readonly do: 'commit' } & Required<ReadStoreCommit>)
  | { readonly do: 'drop'; readonly collection: string }
  | { readonly do: 'list'; readonly collection: string; readonly options: ListOptions };

/** Runs the same steps on the store and on a map; every list, count and checkpoint must agree. */
export const agreesWithModel = async (store: ReadStore): Promise<void> => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      // Collections for each run: on some adapters a store is dear to make.
      run += 1;
      const names = { one: `one.v${run}`, two: `two.v${run}` };
      const model = new Model();
      for (const step of sequence) {
        expect(await onStore(store, step, names)).toEqual(model.take(step));
      }
    }),
    { numRuns: 60, seed: 20_260_101 },
  );
};

type Names = Readonly<Record<string, string>>;

const onStore = async (store: ReadStore, step: Step, names: Names): Promise<unknown> => {
  const mine = (name: string): string => names[name] ?? name;
  switch (step.do) {
    case 'commit': {
      const writes = step.writes.map((write) => ({ ...write, collection: mine(write.collection) }));
      const { name, position } = step.checkpoint;
      return store.commit({ writes, checkpoint: { name: mine(name), position } });
    }
    case 'drop':
      return store.drop(mine(step.collection), mine(step.collection));
    case 'list':
      return {
        documents: await store.list(mine(step.collection), step.options),
        count: await store.count(mine(step.collection), step.options.prefix),
        checkpoint: await store.checkpoint(mine(step.collection)),
      };
  }
};

const byBytes = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other));

interface Held {
  readonly key: string;
  readonly document: object | null;
  readonly position: bigint;
}

/** The docstrings of the port, as slowly and plainly as they can be said. */
class Model {
  readonly #collections = new Map<string, Map<string, Held>>();
  readonly #checkpoints = new Map<string, bigint>();

  take(step: Step): unknown {
    switch (step.do) {
      case 'commit': {
        this.#commit(step);
        return;
      }
      case 'drop':
        this.#collections.delete(step.collection);
        this.#checkpoints.delete(step.collection);
        return undefined;
      case 'list':
        return {
          documents: this.#list(step.collection, step.options),
          count: this.#alive(step.collection, step.options.prefix).length,
          checkpoint: this.#checkpoints.get(step.collection),
        };
    }
  }

  #commit({ writes, checkpoint }: Required<ReadStoreCommit>): void {
    for (const { collection, key, document, position } of writes) {
      const held = this.#collections.get(collection) ?? new Map<string, Held>();
      this.#collections.set(collection, held);
      if (position > (held.get(key)?.position ?? -1n)) held.set(key, { key, document, position });
    }
    const { name, position } = checkpoint;
    if (position >= (this.#checkpoints.get(name) ?? 0n)) this.#checkpoints.set(name, position);
  }

  #alive(collection: string, prefix = ''): Held[] {
    return [...(this.#collections.get(collection)?.values() ?? [])]
      .filter(({ key, document }) => document !== null && key.startsWith(prefix))
      .sort((one, other) => byBytes(one.key, other.key));
  }

  #list(collection: string, options: ListOptions): Held[] {
    const { prefix, from = '', before, direction, limit = 1_000, offset = 0 } = options;
    const found = this.#alive(collection, prefix)
      .filter(({ key }) => byBytes(key, from) >= 0)
      .filter(({ key }) => before === undefined || byBytes(key, before) < 0);
    if (direction === 'backwards') found.reverse();
    return found.slice(offset, offset + limit);
  }
}

const collection = fc.constantFrom('one', 'two');
const position = fc.bigInt({ min: 0n, max: 30n });
const key = fc.constantFrom('a', 'b', 'b-1', 'b-\uffff', 'b-😀', 'é', '😀');
const bound = fc.oneof(key, fc.constantFrom('', 'b-', '\uffff'));

const write = fc.record({
  collection,
  key,
  document: fc.option(fc.record({ n: fc.nat() })),
  position,
});

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('commit' as const),
        writes: fc.array(write, { maxLength: 4 }),
        checkpoint: fc.record({ name: collection, position }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('drop' as const), collection }) },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('list' as const),
        collection,
        options: fc.record(
          {
            prefix: bound,
            from: bound,
            before: bound,
            direction: fc.constantFrom('forwards' as const, 'backwards' as const),
            limit: fc.integer({ min: 1, max: 5 }),
            offset: fc.integer({ min: 0, max: 2 }),
          },
          { requiredKeys: [] },
        ),
      }),
    },
  ),
  { maxLength: 25 },
);
