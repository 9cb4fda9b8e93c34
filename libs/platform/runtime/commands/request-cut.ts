/** Why a request ended before its answer did. */
export type CutReason = 'client_gone' | 'timed_out' | 'shut_down' | 'guard_blocked';

const MESSAGES = {
  client_gone: 'the caller left',
  timed_out: 'the request ran longer than this gateway allows',
  guard_blocked: 'a rule of the operator has ended the answer',
  shut_down: 'this gateway is shutting down; try another or try again',
} as const satisfies Record<CutReason, string>;

/** The abort reason of a request's signal, and the error of a request that the signal ended. */
export class RequestCutError extends Error {
  override readonly name = 'RequestCutError';

  constructor(readonly reason: CutReason) {
    super(MESSAGES[reason]);
  }
}

/** Why a signal fired, or null while it has not. Without a reason stated, the caller left. */
export const cutOf = (signal: AbortSignal): RequestCutError | null => {
  if (!signal.aborted) return null;
  const reason: unknown = signal.reason;
  return reason instanceof RequestCutError ? reason : new RequestCutError('client_gone');
};
