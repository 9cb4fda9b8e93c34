/** An error that the caller can act on; every other error is a defect and becomes a 500. */
export class DomainError<Code extends string = string> extends Error {
  override readonly name = 'DomainError';

  /**
   * @param code a member of the closed union of the area that throws it
   * @param detail a sentence for the caller; it may name amounts and ids, never secrets
   * @param metadata the detail for programs, where the code alone is not enough; a number
   *   `retry_after_seconds` also becomes the header `Retry-After`
   */
  constructor(
    readonly code: Code,
    readonly detail: string = code,
    readonly metadata?: Readonly<Record<string, unknown>>,
  ) {
    super(detail === code ? code : `${code}: ${detail}`);
  }
}
