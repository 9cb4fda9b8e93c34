import { type EnclaveFailure } from './enclave.protocol.js';

/** `closed`: the gateway stops. `crashed`: the process ended; the next call starts another. */
export type EnclaveErrorCode = EnclaveFailure | 'crashed' | 'closed';

/** An error of the enclave process. Its message has no content of a prompt or a row. */
export class EnclaveError extends Error {
  override readonly name = 'EnclaveError';

  constructor(
    readonly code: EnclaveErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
