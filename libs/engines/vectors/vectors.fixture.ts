export { clusteredVectors, unitOf } from '../../../test/bench/clustered-vectors.js';

/** One document for each vector, in the order of their names. */
export const asDocuments = (vectors: readonly Float32Array[]) =>
  vectors.map((vector, at) => ({ document: String(at).padStart(8, '0'), vectors: vector }));
