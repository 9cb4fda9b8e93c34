import { LiveCaptureEvidence, LiveHoldEvidence } from '#events/live/live.evidence.js';
import { defineProduct } from '#platform/ledger/product.js';

export const MINUTES_METER = 'live_minutes';
export const FRAMES_METER = 'live_frames';

/** A stream session with its frames. */
export const liveProduct = defineProduct({
  purpose: 'live_session',
  group: 'inference',
  title: 'Stream sessions',
  meters: {
    [MINUTES_METER]: 'minutes of a stream session that have begun',
    [FRAMES_METER]: 'frames that were drawn for a stream session',
  },
  holdEvidence: LiveHoldEvidence,
  captureEvidence: LiveCaptureEvidence,
});
