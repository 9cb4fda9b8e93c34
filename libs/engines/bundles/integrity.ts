import { createHmac, timingSafeEqual } from 'node:crypto';
import { BLOCK_TYPES, type Bundle, type CanonicalBlock } from './bundle.js';
import { writePrimary } from './bundle.codec.js';
import { BundleError } from './bundles.errors.js';
import { CborWriter } from './cbor.js';
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

/** BIB-HMAC-SHA2 of RFC 9173, section 3. */
const CONTEXT = 1;
const VARIANT = 1;
const WRAPPED_KEY = 2;
const SCOPE_FLAGS = 3;
const SIGNATURE = 1;

const HASHES: Readonly<Record<number, string>> = { 5: 'sha256', 6: 'sha384', 7: 'sha512' };
export type ShaVariant = 5 | 6 | 7;
const VARIANT_DEFAULT = 6;

export interface IntegrityOrder {
  readonly key: Uint8Array;
  /** The number that the block gets. */
  readonly number: number;
  /** 0 is the primary block. */
  readonly targets: readonly number[];
  readonly source: EndpointId;
  readonly variant: ShaVariant;
  readonly scope: number;
}

/** The bundle with a block that signs its targets. @throws BundleError */
export const addIntegrity = (bundle: Bundle, order: IntegrityOrder): Bundle => {
  const { key, number, targets, source, variant, scope } = order;
  const block = { type: BLOCK_TYPES.integrity, number, flags: 0, crcType: 0 } as const;
  const results = targets.map((target) => {
    const content = signedContent(bundle, scope, target, { ...block, data: new Uint8Array() });
    return new Map([[SIGNATURE, signatureOf(variant, key, content)]]);
  });
  const data = encodeSecurityBlock({
    targets,
    context: CONTEXT,
    source,
    parameters: new Map([
      [VARIANT, variant],
      [SCOPE_FLAGS, scope],
    ]),
    results,
  });
  return withBlock(bundle, { ...block, data });
};

/** @throws BundleError `not_authentic`, for a signature that does not verify */
export const checkIntegrity = (bundle: Bundle, number: number, key: Uint8Array): SecurityBlock => {
  const block = targetOf(bundle, number);
  const security = decodeSecurityBlock(block.data);
  if (block.type !== BLOCK_TYPES.integrity || security.context !== CONTEXT) {
    throw new BundleError('unsupported', `block ${number} is not of BIB-HMAC-SHA2`);
  }
  if (bytesParameter(security, WRAPPED_KEY)) {
    throw new BundleError('unsupported', 'a wrapped key of BIB-HMAC-SHA2');
  }
  const variant = numberParameter(security, VARIANT, VARIANT_DEFAULT);
  const scope = numberParameter(security, SCOPE_FLAGS, SCOPE_MASK);
  for (const [at, target] of security.targets.entries()) {
    const expected = signatureOf(variant, key, signedContent(bundle, scope, target, block));
    const signature = security.results[at]?.get(SIGNATURE);
    if (signature?.length !== expected.length || !timingSafeEqual(signature, expected)) {
      throw new BundleError('not_authentic', `the signature of block ${target} does not verify`);
    }
  }
  return security;
};

const signatureOf = (variant: number, key: Uint8Array, content: Uint8Array): Uint8Array => {
  const hash = HASHES[variant];
  if (hash === undefined) throw new BundleError('unsupported', `SHA variant ${variant}`);
  return new Uint8Array(createHmac(hash, key).update(content).digest());
};

const signedContent = (
  bundle: Bundle,
  scope: number,
  target: number,
  security: CanonicalBlock,
): Uint8Array => {
  const writer = scopeOf(bundle, scope, target, security);
  if (target !== 0) return writer.bytes(targetOf(bundle, target).data).written();
  const primary = new CborWriter();
  writePrimary(primary, bundle.primary);
  return writer.bytes(primary.written()).written();
};
