/** The thread with Microsoft SEAL starts with the first evaluation. */
export { type EvaluationKeys, HomomorphicEngine } from '#engines/homomorphic/homomorphic.engine.js';
export {
  HomomorphicError,
  type HomomorphicFailure,
} from '#engines/homomorphic/homomorphic.errors.js';
export {
  CIPHERTEXT_BYTES_MAX,
  CIPHERTEXTS_MAX,
  countsOf,
  type Evaluated,
  type Evaluation,
  OPERATIONS,
} from '#engines/homomorphic/homomorphic.protocol.js';
export { KEY_BUNDLE_BYTES_MAX } from '#engines/homomorphic/key-bundle.js';
export { SIGMOID, SIGMOID_BOUND, SIGMOID_ERROR_MAX } from '#engines/homomorphic/parameter-sets.js';
