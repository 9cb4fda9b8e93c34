import { VectorsError } from '#engines/vectors/vectors.errors.js';
import {
  type PartitionChange,
  type VectorAnswer,
  type VectorQuery,
} from '#engines/vectors/vectors.protocol.js';

export { type PartitionChange, type VectorAnswer, VectorsError };

/** Vectors in the memory of a thread of this process. */
export interface OpenVectors {
  /** Another number means that the partitions are empty. */
  readonly generation: number;
  change(change: PartitionChange): Promise<void>;
  drop(partition: string): Promise<void>;
  search(query: VectorQuery): Promise<VectorAnswer>;
  close(): Promise<void>;
}

/** The first request starts the thread. @param exactRowsMax above it, a graph is built */
export const openVectors = async (exactRowsMax: number): Promise<OpenVectors> => {
  const { VectorsEngine } = await import('#engines/vectors/vectors.engine.js');
  return new VectorsEngine(exactRowsMax);
};
