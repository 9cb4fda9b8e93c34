export type HomomorphicFailure =
  | 'keys_malformed'
  | 'keys_insufficient'
  | 'ciphertext_malformed'
  | 'ciphertext_unsupported'
  | 'operation_unsupported'
  | 'closed'
  | 'crashed';

/** An error of the engine. A message names the field at fault. */
export class HomomorphicError extends Error {
  override readonly name = 'HomomorphicError';

  constructor(
    readonly code: HomomorphicFailure,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
