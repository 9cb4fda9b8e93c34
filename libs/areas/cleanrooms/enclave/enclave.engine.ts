/** The enclave is a process of its own, which starts with the first call. */
export {
  Enclave,
  type EnclaveIdentity,
  type InferenceOrder,
  type SealedAnswer,
} from '#engines/enclave/enclave.js';
export { EnclaveError } from '#engines/enclave/enclave.errors.js';
export { ENCAPSULATED_BYTES } from '#engines/enclave/hpke.js';
