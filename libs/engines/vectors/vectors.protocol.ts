/** `hnsw`: at least one part of the rows was searched by a graph. */
export type IndexName = 'exact' | 'hnsw';

/** The vectors of a document, one behind the other. */
export interface StoredVectors {
  readonly document: string;
  readonly vectors: Float32Array;
}

export interface PartitionChange {
  readonly partition: string;
  readonly dimensions: number;
  readonly add: readonly StoredVectors[];
  readonly remove: readonly string[];
}

export interface VectorQuery {
  /** Others are not looked at. */
  readonly partitions: readonly string[];
  /** The documents to look at, exactly; left out: all of the partitions. */
  readonly only?: ReadonlySet<string>;
  readonly query: Float32Array;
  readonly top: number;
}

export interface VectorHit {
  readonly document: string;
  readonly chunk: number;
  /** The cosine of unit vectors. */
  readonly score: number;
}

export interface VectorAnswer {
  /** The best first; of equal scores the smaller document and chunk. */
  readonly hits: readonly VectorHit[];
  readonly index: IndexName;
  /** Recall of the best ten as measured on the graph; 1 for an exact search. */
  readonly recall: number;
  /** That were looked at, or that a graph was asked about. */
  readonly rows: number;
}
