/** What is wrong with the bytes of a bundle, or with what should become one. */
export type BundleFault =
  | 'malformed'
  /** Well-formed, and beyond what this implementation reads. */
  | 'unsupported'
  | 'too_large'
  | 'crc_mismatch'
  /** A signature or an authentication tag does not verify. */
  | 'not_authentic'
  /** The fragments of several bundles, or fragments that contradict each other. */
  | 'fragments_mismatch';

export class BundleError extends Error {
  override readonly name = 'BundleError';

  constructor(
    readonly code: BundleFault,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
