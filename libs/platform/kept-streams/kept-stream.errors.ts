/**
 * `gone`: expired, or its owner was erased. `lost`: its process has stopped before its end.
 * `too-long`: it had more bytes than are kept.
 */
export type KeptStreamErrorCode = 'gone' | 'lost' | 'too-long';

const MESSAGES = {
  gone: 'the stream is no longer kept',
  lost: 'the gateway that ran this stream has stopped; what was kept of it has been sent',
  'too-long': 'the rest of the stream was not kept: it is longer than a kept stream may be',
} as const satisfies Record<KeptStreamErrorCode, string>;

/** Why a kept stream cannot be followed to its end. */
export class KeptStreamError extends Error {
  override readonly name = 'KeptStreamError';

  constructor(readonly code: KeptStreamErrorCode) {
    super(MESSAGES[code]);
  }
}
