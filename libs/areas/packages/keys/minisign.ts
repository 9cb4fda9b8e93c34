import { hash, type KeyObject, sign, verify } from 'node:crypto';
import { rawPublicKeyOf } from '#platform/secrets/ed25519.js';

/** Signatures and keys in the format of minisign, prehashed: Ed25519 over BLAKE2b-512. */

const PREHASHED = 'ED';
const PLAIN = 'Ed';
const KEY_ID_BYTES = 8;

const digestOf = (content: Buffer): Buffer => hash('blake2b512', content, 'buffer');

/** Minisign draws the id of a key; here it follows from the key. */
const idOf = (publicKey: KeyObject): Buffer =>
  hash('sha256', rawPublicKeyOf(publicKey), 'buffer').subarray(0, KEY_ID_BYTES);

/** @param trusted a line that the signature covers, too */
export const minisignatureOf = (
  content: Buffer,
  trusted: string,
  privateKey: KeyObject,
  publicKey: KeyObject,
): string => {
  const signature = sign(null, digestOf(content), privateKey);
  const whole = sign(null, Buffer.concat([signature, Buffer.from(trusted)]), privateKey);
  const line = Buffer.concat([Buffer.from(PREHASHED), idOf(publicKey), signature]);
  return (
    `untrusted comment: signature of a Quipu package\n${line.toString('base64')}\n` +
    `trusted comment: ${trusted}\n${whole.toString('base64')}\n`
  );
};

export const minisignKeyOf = (publicKey: KeyObject): string => {
  const key = Buffer.concat([Buffer.from(PLAIN), idOf(publicKey), rawPublicKeyOf(publicKey)]);
  return `untrusted comment: seal of Quipu packages\n${key.toString('base64')}\n`;
};

/** Whether the key has signed the content and the trusted comment. */
export const isMinisigned = (content: Buffer, text: string, publicKey: KeyObject): boolean => {
  const [, line = '', comment = '', whole = ''] = text.split('\n');
  const bytes = Buffer.from(line, 'base64');
  const start = PREHASHED.length + KEY_ID_BYTES;
  const signature = bytes.subarray(start);
  const trusted = Buffer.from(comment.replace(/^trusted comment: /, ''));
  return (
    bytes.subarray(0, PREHASHED.length).toString() === PREHASHED &&
    bytes.subarray(PREHASHED.length, start).equals(idOf(publicKey)) &&
    verify(null, digestOf(content), publicKey, signature) &&
    verify(null, Buffer.concat([signature, trusted]), publicKey, Buffer.from(whole, 'base64'))
  );
};
