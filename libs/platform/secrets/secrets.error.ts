/** A secret is missing, malformed, or of another log; the message says what to do. */
export class SecretsError extends Error {
  override readonly name = 'SecretsError';
}
