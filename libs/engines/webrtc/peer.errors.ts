/** Errors of the peers of a process. */
export class PeerError extends Error {
  override readonly name = 'PeerError';

  constructor(
    /** `sdp`: the offer cannot be answered; `lost`: the thread has ended. */
    readonly code: 'sdp' | 'lost',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
