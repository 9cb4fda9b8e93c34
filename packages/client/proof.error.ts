/** A text, an event or a bill does not prove its claim; the message says why. */
export class ProofError extends Error {
  override readonly name = 'ProofError';
}

/** @throws ProofError unless the condition holds */
export function demand(condition: boolean, reason: string): asserts condition {
  if (!condition) throw new ProofError(reason);
}
