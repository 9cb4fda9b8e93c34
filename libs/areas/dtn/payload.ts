import { reject } from './dtn.errors.js';

/** As a bundle carries them. */
export const PAYLOAD_BYTES_MAX = 262_144;

const HEX = /^[0-9a-fA-F]*$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

export interface Payload {
  readonly encoding: 'hex' | 'base64';
  readonly content: Uint8Array;
}

/**
 * An even number of hex digits is hex; anything else is base64, padded or not.
 * @throws DomainError `dtn_payload_invalid`
 */
export const payloadOf = (text: string): Payload => {
  const isHex = text.length % 2 === 0 && HEX.test(text);
  if (!isHex && (!BASE64.test(text) || text.replace(/=/g, '').length % 4 === 1)) {
    reject('dtn_payload_invalid', 'payload_hex: expected hex or base64, received another text');
  }
  const encoding = isHex ? 'hex' : 'base64';
  const content = new Uint8Array(Buffer.from(text, encoding));
  if (content.length > PAYLOAD_BYTES_MAX) {
    reject(
      'dtn_payload_invalid',
      `payload_hex: expected at most ${PAYLOAD_BYTES_MAX} bytes, received ${content.length}`,
    );
  }
  return { encoding, content };
};
