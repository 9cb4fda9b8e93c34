/** A stage is lost, or could not do its part; another one may. */
export class StageError extends Error {
  override readonly name = 'StageError';
}
