/** The thread has ended: its vectors must be loaded again. */
export class VectorsError extends Error {
  override readonly name = 'VectorsError';

  constructor(
    readonly code: 'crashed' | 'closed',
    message: string,
  ) {
    super(message);
  }
}
