/** Why a delta could not be applied. */
export type DeltaErrorCode =
  /** It begins with the magic of no format that is known. */
  | 'unknown_format'
  /** It uses a part of its format that is not supported; the message says which. */
  | 'unsupported'
  /** It breaks the rules of its format, or ends early. */
  | 'malformed'
  /** The base is not the file that the delta was made from. */
  | 'base_mismatch'
  /** The result, or a part that must be in memory, exceeds a limit. */
  | 'too_large';

/** A delta that cannot be applied; nothing but the delta and its base is at fault. */
export class DeltaError extends Error {
  override readonly name = 'DeltaError';

  constructor(
    readonly code: DeltaErrorCode,
    message: string,
  ) {
    super(message);
  }
}

export const malformed = (message: string): never => {
  throw new DeltaError('malformed', message);
};
