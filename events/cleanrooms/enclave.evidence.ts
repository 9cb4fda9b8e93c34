import { z } from 'zod';
import { Sha256Hex } from '../vocabulary.js';
import { CleanroomId } from './cleanroom.events.js';

/** The evidence of sealed work in the events of its hold. It has no row, prompt or reply. */

const Count = z.int().nonnegative();

const deposit = { cleanroomId: CleanroomId, contributionId: z.uuid() };

export const DepositHoldEvidence = z.strictObject(deposit);
export type DepositHoldEvidence = z.infer<typeof DepositHoldEvidence>;

export const DepositCaptureEvidence = z.strictObject({ ...deposit, rows: z.int().positive() });
export type DepositCaptureEvidence = z.infer<typeof DepositCaptureEvidence>;

const enclaveChat = {
  cleanroomId: CleanroomId,
  model: z.string().min(1).max(256),
  /** Of the sealed prompt, as it was sent. */
  sealedSha256: Sha256Hex,
};

export const EnclaveChatHoldEvidence = z.strictObject(enclaveChat);
export type EnclaveChatHoldEvidence = z.infer<typeof EnclaveChatHoldEvidence>;

export const EnclaveChatCaptureEvidence = z.strictObject({
  ...enclaveChat,
  promptTokens: Count,
  completionTokens: Count,
});
export type EnclaveChatCaptureEvidence = z.infer<typeof EnclaveChatCaptureEvidence>;

export const HomomorphicOperation = z.enum(['linear', 'logistic', 'dot', 'sum']);
export type HomomorphicOperation = z.infer<typeof HomomorphicOperation>;

const evaluation = {
  cleanroomId: CleanroomId,
  operation: HomomorphicOperation,
  /** The file of the evaluation keys. */
  keyFileId: z.string().min(1).max(64),
  /** Of the ciphertexts, as they were sent. */
  sealedSha256: Sha256Hex,
};

export const HomomorphicHoldEvidence = z.strictObject(evaluation);
export type HomomorphicHoldEvidence = z.infer<typeof HomomorphicHoldEvidence>;

export const HomomorphicCaptureEvidence = z.strictObject({
  ...evaluation,
  multiplications: Count,
  rotations: Count,
  additions: Count,
});
export type HomomorphicCaptureEvidence = z.infer<typeof HomomorphicCaptureEvidence>;
