import { z } from 'zod';
import { LiveEnd, LiveSessionId } from './live.events.js';

/** The evidence of a live session in the events of its hold. */

const ofSession = {
  sessionId: LiveSessionId,
  width: z.int().positive(),
  height: z.int().positive(),
  targetFps: z.int().positive(),
};

export const LiveHoldEvidence = z.strictObject(ofSession);
export type LiveHoldEvidence = z.infer<typeof LiveHoldEvidence>;

export const LiveCaptureEvidence = z.strictObject({
  ...ofSession,
  end: LiveEnd,
  minutes: z.int().positive(),
  frames: z.int().nonnegative(),
});
export type LiveCaptureEvidence = z.infer<typeof LiveCaptureEvidence>;
