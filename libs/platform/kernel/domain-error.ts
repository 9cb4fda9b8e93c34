/** A refusal the caller can act on; everything else that throws is a defect and becomes a 500. */
export class DomainError<Code extends string = string> extends Error {
  override readonly name = 'DomainError';

  /**
   * @param code a member of the closed union of the area that refuses
   * @param detail a sentence for the caller; it may name amounts and ids, never secrets
   * @param metadata the same for programs, where a code alone does not say what to do next
   */
  constructor(
    readonly code: Code,
    readonly detail: string = code,
    readonly metadata?: Readonly<Record<string, unknown>>,
  ) {
    super(detail === code ? code : `${code}: ${detail}`);
  }
}
