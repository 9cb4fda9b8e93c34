import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';

/**
 * CashAddr, the addresses of Bitcoin Cash
 * (https://github.com/bitcoincashorg/bitcoincash.org/blob/master/spec/cashaddr.md).
 */
const PREFIX = 'bitcoincash';
const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const GENERATORS = [0x98f2bc8e61n, 0x79b76d99e2n, 0xf33e5fb3c4n, 0xae2eabe2a8n, 0x1e4f43e470n];
const CHECKSUM_DIGITS = 8;
const BITS = 5;

/** The remainder of the BCH code over 5-bit digits. */
const remainder = (digits: readonly number[]): bigint => {
  let checksum = 1n;
  for (const digit of digits) {
    const top = checksum >> 35n;
    checksum = ((checksum & 0x07ffffffffn) << 5n) ^ BigInt(digit);
    GENERATORS.forEach((generator, bit) => {
      if ((top >> BigInt(bit)) & 1n) checksum ^= generator;
    });
  }
  return checksum ^ 1n;
};

/** Eight-bit bytes as 5-bit digits, the last one padded with zeros. */
const digitsOf = (bytes: Uint8Array): readonly number[] => {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => Number.parseInt(group.padEnd(BITS, '0'), 2));
};

/** The kinds of a payload of 20 bytes: a public key hash or a script hash. */
export type CashAddressKind = 'p2pkh' | 'p2sh';
const VERSIONS: Readonly<Record<CashAddressKind, number>> = { p2pkh: 0, p2sh: 8 };

export const encodeCashAddress = (
  hash: Uint8Array,
  kind: CashAddressKind = 'p2pkh',
  prefix: string = PREFIX,
): string => {
  const payload = digitsOf(Uint8Array.of(VERSIONS[kind], ...hash));
  const expanded = Array.from(prefix, (letter) => letter.charCodeAt(0) & 31);
  const zeros = Array.from({ length: CHECKSUM_DIGITS }, () => 0);
  const checksum = remainder([...expanded, 0, ...payload, ...zeros]);
  const check = Array.from({ length: CHECKSUM_DIGITS }, (_, index) =>
    Number((checksum >> BigInt(BITS * (CHECKSUM_DIGITS - 1 - index))) & 31n),
  );
  return `${prefix}:${[...payload, ...check].map((digit) => ALPHABET.charAt(digit)).join('')}`;
};

/** The address of a compressed public key. */
export const cashAddressOf = (publicKey: Uint8Array): string =>
  encodeCashAddress(ripemd160(sha256(publicKey)));
