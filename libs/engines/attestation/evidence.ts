import { z } from 'zod';
import { EventLog } from './measurements.js';
import { TpmEvidence } from './tpm/verify-quote.js';

/** The software claims its own measurements. Nothing proves the claim. */
export const SoftwareEvidence = z.strictObject({ type: z.literal('software'), log: EventLog });
export type SoftwareEvidence = z.infer<typeof SoftwareEvidence>;

const DOCUMENT_CHARS_MAX = 45_000;

export const NitroEvidence = z.strictObject({
  type: z.literal('aws_nitro'),
  log: EventLog,
  /** The COSE_Sign1 of the Nitro Secure Module. */
  document: z.base64().max(DOCUMENT_CHARS_MAX),
});
export type NitroEvidence = z.infer<typeof NitroEvidence>;

/** The evidence of an attester, as JSON. */
export const Evidence = z.discriminatedUnion('type', [
  SoftwareEvidence,
  TpmEvidence,
  NitroEvidence,
]);
export type Evidence = z.infer<typeof Evidence>;

export const TEE_TYPES = ['software', 'tpm2', 'aws_nitro'] as const;
export type TeeType = (typeof TEE_TYPES)[number];
