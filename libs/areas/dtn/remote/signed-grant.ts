import { type KeyObject } from 'node:crypto';
import { CompactSign, compactVerify } from 'jose';
import { z } from 'zod';

/** Compact JWS (RFC 7515) with Ed25519. */
const ALGORITHM = 'EdDSA';
const GRANT_TYPE = 'quipu-grant+jws';
const RECEIPT_TYPE = 'quipu-receipt+jws';
export const MESSAGES_MAX = 32;
export const CONTENT_LENGTH_MAX = 16_384;
export const ANSWER_LENGTH_MAX = 65_536;
const JWS_LENGTH_MAX = 262_144;

const Tokens = z.int().nonnegative().max(1_000_000);
const Id = z.string().min(1).max(64);
const Node = z.string().max(255);

/** The signed hold of an installation: a node may carry out one request up to it. */
export const Grant = z.strictObject({
  request_id: Id,
  hold_id: Id,
  account: Id,
  product: z.literal('remote_chat'),
  upper_micro_usd: z.string().regex(/^\d{1,18}$/),
  prompt_tokens_max: Tokens,
  completion_tokens_max: Tokens,
  /** Seconds since the epoch; the node begins nothing after it. */
  exp: z.int().positive(),
  /** The node that may carry it out, and the endpoint of receipts. */
  node: Node,
  reply_to: Node,
  nonce: z.string().regex(/^[0-9a-f]{32}$/),
  messages: z
    .array(
      z.strictObject({
        role: z.enum(['system', 'user', 'assistant']),
        content: z.string().max(CONTENT_LENGTH_MAX),
      }),
    )
    .min(1)
    .max(MESSAGES_MAX),
});
export type Grant = z.infer<typeof Grant>;

/** The signed usage of a grant, by the node that carried it out. */
export const Receipt = z.strictObject({
  request_id: Id,
  hold_id: Id,
  nonce: Grant.shape.nonce,
  node: Node,
  status: z.enum(['completed', 'failed']),
  prompt_tokens: Tokens,
  completion_tokens: Tokens,
  text: z.string().max(ANSWER_LENGTH_MAX),
  finished_at: z.iso.datetime(),
});
export type Receipt = z.infer<typeof Receipt>;

const sign = (claims: object, typ: string, key: KeyObject): Promise<string> =>
  new CompactSign(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader({ alg: ALGORITHM, typ })
    .sign(key);

export const signGrant = (grant: Grant, key: KeyObject): Promise<string> =>
  sign(grant, GRANT_TYPE, key);

export const signReceipt = (receipt: Receipt, key: KeyObject): Promise<string> =>
  sign(receipt, RECEIPT_TYPE, key);

/** Null for a text that is not signed by the key, or says other things. */
const verified = async <Claims>(
  jws: string,
  typ: string,
  schema: z.ZodType<Claims>,
  key: KeyObject,
): Promise<Claims | null> => {
  if (jws.length > JWS_LENGTH_MAX) return null;
  try {
    const { payload, protectedHeader } = await compactVerify(jws, key, {
      algorithms: [ALGORITHM],
    });
    if (protectedHeader.typ !== typ) return null;
    return schema.safeParse(JSON.parse(Buffer.from(payload).toString())).data ?? null;
  } catch {
    return null;
  }
};

export const verifiedGrant = (jws: string, key: KeyObject): Promise<Grant | null> =>
  verified(jws, GRANT_TYPE, Grant, key);

export const verifiedReceipt = (jws: string, key: KeyObject): Promise<Receipt | null> =>
  verified(jws, RECEIPT_TYPE, Receipt, key);
