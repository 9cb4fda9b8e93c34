import { z } from 'zod';
import { type ChatBody } from '#platform/chats/chat-order.js';
import { rejectedField, rejectedFields } from '#platform/runtime/commands/rejected-request.js';
import { roomIdOf, sealedContentsOf } from '../sealed-chat.js';
import {
  CIPHERTEXT_BYTES_MAX,
  CIPHERTEXTS_MAX,
  type Evaluation,
  OPERATIONS,
} from './homomorphic.engine.js';

const VALUES_MAX = 4_096;
const WEIGHT_MAX = 1e6;
/** Microsoft SEAL begins everything that it serializes with these bytes. */
const SEAL_MAGIC = Buffer.from([0x5e, 0xa1, 0x10]);

const Weight = z.number().min(-WEIGHT_MAX).max(WEIGHT_MAX);

/** The field `fhe` of a chat. */
export const EvaluationFields = z.strictObject({
  key_file_id: z.string().min(1).max(64),
  operation: z.enum(OPERATIONS),
  /** Values of a row. */
  length: z.int().min(1).max(VALUES_MAX),
  rows: z.int().min(1).max(VALUES_MAX).default(1),
  weights: z.array(Weight).max(VALUES_MAX).default([]),
  bias: Weight.default(0),
});

export interface EvaluationAsked {
  readonly cleanroomId: string;
  readonly keyFileId: string;
  readonly evaluation: Evaluation;
}

/**
 * Reads a chat whose messages are ciphertexts.
 * @throws RejectedRequestError
 */
export const evaluationAskedOf = (body: ChatBody): EvaluationAsked => {
  const cleanroomId = roomIdOf(body, ['fhe']);
  const parsed = z.object({ fhe: EvaluationFields }).safeParse({ fhe: body['fhe'] });
  if (!parsed.success) throw rejectedFields(parsed.error);
  const { key_file_id: keyFileId, ...fields } = parsed.data.fhe;
  if (body.messages.length > CIPHERTEXTS_MAX) {
    throw rejectedField('messages', `expected at most ${CIPHERTEXTS_MAX} ciphertexts`);
  }
  const ciphertexts = sealedContentsOf(body, 'a ciphertext', CIPHERTEXT_BYTES_MAX);
  const plain = ciphertexts.findIndex((bytes) => !bytes.subarray(0, 3).equals(SEAL_MAGIC));
  if (plain >= 0) {
    const why = 'expected a ciphertext of Microsoft SEAL: this mode evaluates no plain text';
    throw rejectedField(`messages[${plain}].content`, why);
  }
  return { cleanroomId, keyFileId, evaluation: { ...fields, ciphertexts } };
};
