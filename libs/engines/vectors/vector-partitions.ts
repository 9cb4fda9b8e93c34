import { type FoundRow, isBefore, VectorPartition } from './vector-partition.js';
import { type PartitionChange, type VectorAnswer, type VectorQuery } from './vectors.protocol.js';

/** The partitions of a thread, by name. */
export class VectorPartitions {
  readonly #partitions = new Map<string, VectorPartition>();

  /** @param exactRowsMax the largest partition that gets no graph */
  constructor(private readonly exactRowsMax: number) {}

  change({ partition: name, dimensions, add, remove }: PartitionChange): void {
    const known = this.#partitions.get(name);
    const partition = known ?? new VectorPartition(dimensions, this.exactRowsMax);
    this.#partitions.set(name, partition);
    for (const document of remove) partition.remove(document);
    for (const document of add) partition.add(document);
  }

  drop(name: string): void {
    this.#partitions.delete(name);
  }

  /** Looks at the partitions of the query only: others change neither the answer nor its time. */
  search({ partitions: names, only, query, top }: VectorQuery): VectorAnswer {
    const searched = names.flatMap((name) => this.#partitions.get(name) ?? []);
    const answers = searched.map((partition) =>
      only ? partition.searchOnly(only, query, top) : partition.search(query, top),
    );
    return {
      hits: answers
        .flatMap(({ found }) => found)
        .sort(betterFirst)
        .slice(0, top),
      index: answers.some(({ index }) => index === 'hnsw') ? 'hnsw' : 'exact',
      recall: Math.min(1, ...answers.map(({ recall }) => recall)),
      rows: answers.reduce((sum, { rows }) => sum + rows, 0),
    };
  }

  /** Builds graphs until the instant. @returns whether there is more to do */
  work(untilMs: number): boolean {
    for (const partition of this.#partitions.values()) if (partition.work(untilMs)) return true;
    return false;
  }
}

const betterFirst = (one: FoundRow, other: FoundRow): number =>
  other.score - one.score || (isBefore(one, other) ? -1 : 1);
