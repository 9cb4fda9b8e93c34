/** The bill does not prove what it states; the message says why. */
export class BillError extends Error {
  override readonly name = 'BillError';
}

/** @throws BillError unless the condition holds */
export function demand(condition: boolean, reason: string): asserts condition {
  if (!condition) throw new BillError(reason);
}
