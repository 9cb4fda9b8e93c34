import { HnswGraph } from './hnsw-graph.js';
import { RowBlock } from './row-block.js';
import { type ScoredRow, TopList } from './top-list.js';
import { type IndexName, type StoredVectors } from './vectors.protocol.js';

/** The measured share of the best ten that an approximate index must find before it answers. */
export const RECALL_LEAST = 0.95;
const RECALL_TOP = 10;
const SAMPLES = 50;
/** The candidates of a search, doubled until the recall is enough. */
const EF_FIRST = 64;
const EF_MAX = 512;
/** A graph is measured again when it has grown by a tenth. */
const GROWTH = 1.1;
/** A partition whose graph finds too little stays exact until it is so many times larger. */
const AGAIN = 2;
/** With more removed rows than this share, the partition is made again. */
const REMOVED_SHARE_MAX = 0.25;

export interface FoundRow {
  readonly document: string;
  readonly chunk: number;
  readonly score: number;
}

export interface PartitionAnswer {
  readonly found: readonly FoundRow[];
  readonly rows: number;
  readonly index: IndexName;
  /** 1 for an exact search. */
  readonly recall: number;
}

interface Name {
  readonly document: string;
  readonly chunk: number;
}

interface Measured {
  readonly ef: number;
  readonly recall: number;
  /** Of the graph then. */
  readonly rows: number;
}

/**
 * The vectors of documents that are searched together or not at all. Small ones are searched
 * exactly; of large ones a graph is built between requests, by `work`, and answers once its recall
 * is measured. Rows that are not yet in the graph are searched exactly beside it.
 */
export class VectorPartition {
  #block: RowBlock;
  #names: Name[] = [];
  readonly #rowsOf = new Map<string, readonly number[]>();
  #graph: HnswGraph | null = null;
  #measured: Measured | null = null;
  #sampling: { readonly ef: number; readonly hits: number; readonly done: number } | null = null;

  #exactRowsMax: number;

  constructor(
    readonly dimensions: number,
    exactRowsMax: number,
    private readonly recallLeast = RECALL_LEAST,
  ) {
    this.#block = new RowBlock(dimensions);
    this.#exactRowsMax = exactRowsMax;
  }

  get rows(): number {
    return this.#block.rows - this.#block.removed;
  }

  /** A document that is here already stays as it is. */
  add({ document, vectors }: StoredVectors): void {
    if (this.#rowsOf.has(document)) return;
    const rows: number[] = [];
    for (let at = 0; at < vectors.length; at += this.dimensions) {
      this.#names.push({ document, chunk: at / this.dimensions });
      rows.push(this.#block.add(vectors.subarray(at, at + this.dimensions)));
    }
    this.#rowsOf.set(document, rows);
  }

  remove(document: string): void {
    for (const row of this.#rowsOf.get(document) ?? []) this.#block.remove(row);
    this.#rowsOf.delete(document);
    if (this.#block.removed > this.#block.rows * REMOVED_SHARE_MAX) this.#compact();
  }

  search(query: Float32Array, top: number): PartitionAnswer {
    this.#block.setQuery(query);
    const measured = this.#measured;
    const list = this.#newList(top);
    if (measured && this.#graph) {
      // Removed rows stay in the graph, and take places among its candidates.
      for (const { row, score } of this.#graph.search(Math.max(measured.ef, 2 * top))) {
        if (!this.#block.isRemoved(row)) list.add(row, score);
      }
      this.#block.scan(list, this.#graph.rows);
    } else {
      this.#block.scan(list);
    }
    return {
      found: this.#found(list),
      rows: this.rows,
      index: measured ? 'hnsw' : 'exact',
      recall: measured?.recall ?? 1,
    };
  }

  /** Looks at some documents only, exactly: a graph has no way to leave the others out. */
  searchOnly(documents: ReadonlySet<string>, query: Float32Array, top: number): PartitionAnswer {
    this.#block.setQuery(query);
    const list = this.#newList(top);
    const rows = [...documents].flatMap((document) => this.#rowsOf.get(document) ?? []);
    this.#block.scanRows(list, rows);
    return { found: this.#found(list), rows: rows.length, index: 'exact', recall: 1 };
  }

  /** Builds and measures the graph until the instant. @returns whether there is more to do */
  work(untilMs: number): boolean {
    if (this.rows <= this.#exactRowsMax) {
      [this.#graph, this.#measured, this.#sampling] = [null, null, null];
      return false;
    }
    this.#graph ??= new HnswGraph(this.#block);
    while (performance.now() < untilMs) {
      if (this.#graph.rows < this.#block.rows) this.#graph.insertNext();
      else if (!this.#measure(this.#graph)) return false;
    }
    return true;
  }

  /** Takes one sample. @returns whether there is more to do */
  #measure(graph: HnswGraph): boolean {
    if (!this.#sampling) {
      if (this.#measured && graph.rows < this.#measured.rows * GROWTH) return false;
      this.#sampling = { ef: EF_FIRST, hits: 0, done: 0 };
    }
    const { ef, hits, done } = this.#sampling;
    if (done < SAMPLES) {
      this.#sampling = { ef, hits: hits + this.#sample(graph, ef, done), done: done + 1 };
      return true;
    }
    const recall = hits / (SAMPLES * RECALL_TOP);
    if (recall < this.recallLeast && ef < EF_MAX) {
      this.#sampling = { ef: 2 * ef, hits: 0, done: 0 };
      return true;
    }
    this.#sampling = null;
    if (recall >= this.recallLeast) {
      this.#measured = { ef, recall, rows: graph.rows };
    } else {
      [this.#graph, this.#measured] = [null, null];
      this.#exactRowsMax = AGAIN * this.rows;
    }
    return false;
  }

  /** The query is between two rows, so that it equals neither. @returns how many it finds */
  #sample(graph: HnswGraph, ef: number, sample: number): number {
    const { rows } = this.#block;
    const one = this.#block.vectorOf(Math.floor((sample * rows) / SAMPLES));
    const other = this.#block.vectorOf(Math.floor(((sample + 0.5) * rows) / SAMPLES));
    this.#block.setQuery(one.map((value, at) => (2 * value + (other[at] ?? 0)) / 3));
    const exact = this.#newList(RECALL_TOP);
    this.#block.scan(exact);
    const found = new Set(this.#alive(graph.search(ef)).slice(0, RECALL_TOP));
    return exact.sorted().filter(({ row }) => found.has(row)).length;
  }

  #alive(rows: readonly ScoredRow[]): readonly number[] {
    return rows.map(({ row }) => row).filter((row) => !this.#block.isRemoved(row));
  }

  #found(list: TopList): readonly FoundRow[] {
    return list.sorted().map(({ row, score }) => ({ ...this.#nameOf(row), score }));
  }

  #newList(top: number): TopList {
    return new TopList(top, (one, other) => isBefore(this.#nameOf(one), this.#nameOf(other)));
  }

  #nameOf(row: number): Name {
    return this.#names[row] ?? { document: '', chunk: 0 };
  }

  #compact(): void {
    const kept = [...this.#rowsOf].map(([document, rows]) => ({
      document,
      vectors: joined(
        rows.map((row) => this.#block.vectorOf(row)),
        this.dimensions,
      ),
    }));
    this.#block = new RowBlock(this.dimensions);
    this.#names = [];
    this.#rowsOf.clear();
    [this.#graph, this.#measured, this.#sampling] = [null, null, null];
    for (const document of kept) this.add(document);
  }
}

/** The order of equal scores. */
export const isBefore = (one: Name, other: Name): boolean =>
  one.document === other.document ? one.chunk < other.chunk : one.document < other.document;

const joined = (vectors: readonly Float32Array[], dimensions: number): Float32Array => {
  const all = new Float32Array(vectors.length * dimensions);
  vectors.forEach((vector, at) => {
    all.set(vector, at * dimensions);
  });
  return all;
};
