/**
 * Keeps requests away from a rig that fails. Closed: all pass. Open: none pass until `openMs` are
 * over. Half-open: one trial passes; its success closes the breaker, its failure opens it again for
 * twice as long. A pure state machine: instants arrive in the events.
 */
export interface BreakerThresholds {
  /** Failures without a success between them that open a closed breaker. */
  readonly failuresToOpen: number;
  /** How long it stays open the first time. */
  readonly openMs: number;
  /** The bound that repeated doubling of `openMs` reaches. */
  readonly openMsMax: number;
}

/** Five in a row are not chance at any load. In 5 s a server restarts; 2 min spare a dead one. */
export const BREAKER_THRESHOLDS: BreakerThresholds = {
  failuresToOpen: 5,
  openMs: 5_000,
  openMsMax: 120_000,
};

/**
 * `epoch` counts the openings. A request carries the epoch it started in, and its outcome counts
 * in that epoch only: a request from before the breaker opened proves nothing about the trial.
 */
export type BreakerState =
  | { readonly status: 'closed'; readonly epoch: number; readonly failures: number }
  | {
      readonly status: 'open';
      readonly epoch: number;
      readonly openMs: number;
      /** Milliseconds of the clock that the events carry. */
      readonly untilMs: number;
    }
  | {
      readonly status: 'half-open';
      readonly epoch: number;
      readonly openMs: number;
      readonly trialInFlight: boolean;
    };

export type BreakerEvent =
  /** A request was sent; only when `mayPass` said so. */
  | { readonly type: 'started' }
  | { readonly type: 'succeeded'; readonly epoch: number }
  | { readonly type: 'failed'; readonly epoch: number; readonly atMs: number }
  /** The request ended without evidence about the rig: the caller disconnected, or it was busy. */
  | { readonly type: 'left'; readonly epoch: number };

export const closedBreaker: BreakerState = { status: 'closed', epoch: 0, failures: 0 };

export const mayPass = (state: BreakerState, atMs: number): boolean => {
  switch (state.status) {
    case 'closed':
      return true;
    case 'open':
      return atMs >= state.untilMs;
    case 'half-open':
      return !state.trialInFlight;
  }
};

export const evolveBreaker = (
  state: BreakerState,
  event: BreakerEvent,
  thresholds: BreakerThresholds = BREAKER_THRESHOLDS,
): BreakerState => {
  if (event.type === 'started') return started(state);
  if (event.epoch !== state.epoch) return state;
  switch (event.type) {
    case 'succeeded':
      return succeeded(state);
    case 'failed':
      return failed(state, event.atMs, thresholds);
    case 'left':
      return state.status === 'half-open' ? { ...state, trialInFlight: false } : state;
  }
};

const started = (state: BreakerState): BreakerState => {
  if (state.status === 'closed') return state;
  const { epoch, openMs } = state;
  return { status: 'half-open', epoch, openMs, trialInFlight: true };
};

const succeeded = (state: BreakerState): BreakerState => {
  if (state.status === 'open') return state;
  if (state.status === 'closed' && state.failures === 0) return state;
  return { status: 'closed', epoch: state.epoch, failures: 0 };
};

const failed = (
  state: BreakerState,
  atMs: number,
  { failuresToOpen, openMs, openMsMax }: BreakerThresholds,
): BreakerState => {
  switch (state.status) {
    case 'closed': {
      const failures = state.failures + 1;
      return failures < failuresToOpen ? { ...state, failures } : opened(state.epoch, openMs, atMs);
    }
    case 'half-open':
      return opened(state.epoch, Math.min(state.openMs * 2, openMsMax), atMs);
    case 'open':
      return state;
  }
};

const opened = (epoch: number, openMs: number, atMs: number): BreakerState => ({
  status: 'open',
  epoch: epoch + 1,
  openMs,
  untilMs: atMs + openMs,
});
