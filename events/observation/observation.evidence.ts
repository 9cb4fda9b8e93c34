import { z } from 'zod';
import { Sha256Hex } from '../vocabulary.js';

/** The evidence of an ingest in the events of its hold. */

const PayloadSize = z.int().nonnegative();

export const IngestHoldEvidence = z.strictObject({ payloadBytes: PayloadSize });
export type IngestHoldEvidence = z.infer<typeof IngestHoldEvidence>;

export const IngestCaptureEvidence = z.strictObject({
  payloadBytes: PayloadSize,
  /** Null: the content is above the limit, and was not read to its end. */
  sha256: Sha256Hex.nullable(),
  outcome: z.enum(['verified', 'unverified', 'duplicate', 'store_full', 'too_large']),
});
export type IngestCaptureEvidence = z.infer<typeof IngestCaptureEvidence>;
