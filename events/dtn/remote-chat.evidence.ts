import { z } from 'zod';
import { Sha256Hex } from '../vocabulary.js';
import { BundleId, Eid } from './dtn.events.js';

/** The evidence of a chat on another node in the events of its hold. */

const ofRequest = { requestId: z.uuid(), node: Eid, bundleId: BundleId };

export const RemoteChatHoldEvidence = z.strictObject(ofRequest);
export type RemoteChatHoldEvidence = z.infer<typeof RemoteChatHoldEvidence>;

export const RemoteChatCaptureEvidence = z.strictObject({
  ...ofRequest,
  /** Of the receipt that the node has signed. */
  receiptSha256: Sha256Hex,
});
export type RemoteChatCaptureEvidence = z.infer<typeof RemoteChatCaptureEvidence>;
