/** A package is not as it was sealed, or cannot be trusted; the message says why. */
export class PackageError extends Error {
  override readonly name = 'PackageError';
}
