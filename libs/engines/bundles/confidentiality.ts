import { createCipheriv, createDecipheriv } from 'node:crypto';
import { BLOCK_FLAGS, BLOCK_TYPES, type Bundle, PAYLOAD_NUMBER } from './bundle.js';
import { BundleError } from './bundles.errors.js';
import { type EndpointId } from './endpoint-id.js';
import {
  bytesParameter,
  decodeSecurityBlock,
  encodeSecurityBlock,
  numberParameter,
  SCOPE_MASK,
  scopeOf,
  type SecurityBlock,
  targetOf,
  withBlock,
} from './security-block.js';

/** BCB-AES-GCM of RFC 9173, section 4. */
const CONTEXT = 2;
const IV = 1;
const VARIANT = 2;
const WRAPPED_KEY = 3;
const SCOPE_FLAGS = 4;
const TAG = 1;
const TAG_BYTES = 16;

const CIPHERS = { 1: 'aes-128-gcm', 3: 'aes-256-gcm' } as const;
const KEY_BYTES = { 1: 16, 3: 32 } as const;
export type AesVariant = 1 | 3;
const VARIANT_DEFAULT = 3;
/** Of RFC 3394, with its initial value. */
const WRAPS: Readonly<Record<number, string>> = { 16: 'id-aes128-wrap', 32: 'id-aes256-wrap' };
const WRAP_IV = new Uint8Array(8).fill(0xa6);

export interface ConfidentialityOrder {
  readonly key: Uint8Array;
  /** Wraps the key for the receiver; null where the receiver has the key. */
  readonly wrappedBy: Uint8Array | null;
  /** 8 to 16 bytes, never used twice with one key for one content. */
  readonly iv: Uint8Array;
  readonly number: number;
  readonly targets: readonly number[];
  readonly source: EndpointId;
  readonly variant: AesVariant;
  readonly scope: number;
}

/** The bundle whose targets are encrypted, with the block that says how. @throws BundleError */
export const addConfidentiality = (bundle: Bundle, order: ConfidentialityOrder): Bundle => {
  const { key, wrappedBy, iv, number, targets, source, variant, scope } = order;
  const isOfPayload = targets.includes(PAYLOAD_NUMBER);
  const block = {
    type: BLOCK_TYPES.confidentiality,
    number,
    flags: isOfPayload ? BLOCK_FLAGS.replicate : 0,
    crcType: 0,
    data: new Uint8Array(),
  } as const;
  const sealed = new Map<number, Uint8Array>();
  const results = targets.map((target) => {
    const cipher = createCipheriv(cipherOf(variant, key), key, iv);
    cipher.setAAD(scopeOf(bundle, scope, target, block).written());
    const { data } = targetOf(bundle, target);
    sealed.set(target, Buffer.concat([cipher.update(data), cipher.final()]));
    return new Map([[TAG, new Uint8Array(cipher.getAuthTag())]]);
  });
  const parameters = new Map<number, number | Uint8Array>([
    [IV, iv],
    [VARIANT, variant],
    ...(wrappedBy ? [[WRAPPED_KEY, wrap(wrappedBy, key)] as const] : []),
    [SCOPE_FLAGS, scope],
  ]);
  const data = encodeSecurityBlock({ targets, context: CONTEXT, source, parameters, results });
  return withBlock(withContents(bundle, sealed), { ...block, data });
};

/**
 * The bundle whose targets are plain again, without the block.
 * @param key that of the content, or the one that wraps it
 * @throws BundleError `not_authentic`, for a tag that does not verify
 */
export const openConfidentiality = (bundle: Bundle, number: number, key: Uint8Array): Bundle => {
  const block = targetOf(bundle, number);
  const security = decodeSecurityBlock(block.data);
  if (block.type !== BLOCK_TYPES.confidentiality || security.context !== CONTEXT) {
    throw new BundleError('unsupported', `block ${number} is not of BCB-AES-GCM`);
  }
  const iv = bytesParameter(security, IV);
  if (!iv) throw new BundleError('malformed', 'a confidentiality block without an IV');
  const variant = numberParameter(security, VARIANT, VARIANT_DEFAULT);
  const scope = numberParameter(security, SCOPE_FLAGS, SCOPE_MASK);
  const contentKey = contentKeyOf(security, key);
  const plain = new Map<number, Uint8Array>();
  for (const [at, target] of security.targets.entries()) {
    const tag = security.results[at]?.get(TAG);
    if (tag?.length !== TAG_BYTES)
      throw new BundleError('malformed', 'a tag of 16 bytes is missing');
    const { data } = targetOf(bundle, target);
    const cipher = createDecipheriv(cipherOf(variant, contentKey), contentKey, iv);
    cipher.setAAD(scopeOf(bundle, scope, target, block).written()).setAuthTag(tag);
    try {
      plain.set(target, Buffer.concat([cipher.update(data), cipher.final()]));
    } catch (cause) {
      const message = `the tag of block ${target} does not verify`;
      throw new BundleError('not_authentic', message, { cause });
    }
  }
  const opened = withContents(bundle, plain);
  return { ...opened, blocks: opened.blocks.filter((each) => each.number !== number) };
};

const withContents = (bundle: Bundle, contents: ReadonlyMap<number, Uint8Array>): Bundle => ({
  ...bundle,
  blocks: bundle.blocks.map((block) => {
    const data = contents.get(block.number);
    return data ? { ...block, data: new Uint8Array(data) } : block;
  }),
});

const cipherOf = (variant: number, key: Uint8Array) => {
  if (variant !== 1 && variant !== 3) {
    throw new BundleError('unsupported', `AES variant ${variant}`);
  }
  if (key.length !== KEY_BYTES[variant]) {
    throw new BundleError('unsupported', `a key of ${key.length} bytes for AES variant ${variant}`);
  }
  return CIPHERS[variant];
};

const contentKeyOf = (security: SecurityBlock, key: Uint8Array): Uint8Array => {
  const wrapped = bytesParameter(security, WRAPPED_KEY);
  if (!wrapped) return key;
  try {
    const cipher = createDecipheriv(wrapOf(key), key, WRAP_IV);
    return Buffer.concat([cipher.update(wrapped), cipher.final()]);
  } catch (cause) {
    if (cause instanceof BundleError) throw cause;
    throw new BundleError('not_authentic', 'the wrapped key does not open', { cause });
  }
};

const wrap = (by: Uint8Array, key: Uint8Array): Uint8Array => {
  const cipher = createCipheriv(wrapOf(by), by, WRAP_IV);
  return new Uint8Array(Buffer.concat([cipher.update(key), cipher.final()]));
};

const wrapOf = (key: Uint8Array): string => {
  const name = WRAPS[key.length];
  if (name === undefined) {
    throw new BundleError('unsupported', `a key of ${key.length} bytes that wraps another`);
  }
  return name;
};
