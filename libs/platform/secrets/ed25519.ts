import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';

/** Ed25519 keys as raw bytes: 32 of a seed, 32 of a public key. */

/** DER around a raw key: RFC 8410. */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

export const PUBLIC_KEY_BYTES = 32;

export const privateKeyOf = (seed: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });

export const rawPublicKeyOf = (publicKey: KeyObject): Buffer =>
  publicKey.export({ format: 'der', type: 'spki' }).subarray(SPKI.length);

export const publicKeyOf = (raw: Buffer): KeyObject =>
  createPublicKey({ key: Buffer.concat([SPKI, raw]), format: 'der', type: 'spki' });
