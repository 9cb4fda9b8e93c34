import { z } from 'zod';

/** What a chat adds to the events of its hold: `HoldPlaced` and `HoldCaptured`. */

/**
 * SHA3-256 of a key and a text, in hex: the operator can compare two texts by it; without the key
 * it says nothing about the text.
 */
const KeyedHash = z.string().regex(/^[0-9a-f]{64}$/);

export const ChatHoldEvidence = z.strictObject({ modelAsked: z.string().min(1) });
export type ChatHoldEvidence = z.infer<typeof ChatHoldEvidence>;

export const ChatCaptureEvidence = z.strictObject({
  /** The model that the caller asked for, that the rig was sent and that the rig says answered. */
  models: z.strictObject({
    asked: z.string().min(1),
    sent: z.string().min(1).nullable(),
    answered: z.string().min(1).nullable(),
  }),
  attempts: z.int().positive(),
  promptHash: KeyedHash,
  replyHash: KeyedHash.nullable(),
});
export type ChatCaptureEvidence = z.infer<typeof ChatCaptureEvidence>;
