import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex } from '@noble/hashes/utils.js';

const ADDRESS_BYTES = 20;

/** Mixed case as checksum (EIP-55). @param hex 40 hex digits without `0x` */
export const checksummed = (hex: string): string => {
  const lower = hex.toLowerCase();
  const hash = bytesToHex(keccak_256(new TextEncoder().encode(lower)));
  const mixed = Array.from(lower, (digit, index) =>
    Number.parseInt(hash.charAt(index), 16) >= 8 ? digit.toUpperCase() : digit,
  );
  return `0x${mixed.join('')}`;
};

/** The address of a compressed public key. */
export const ethereumAddressOf = (publicKey: Uint8Array): string => {
  const uncompressed = secp256k1.Point.fromBytes(publicKey).toBytes(false);
  const hash = keccak_256(uncompressed.subarray(1));
  return checksummed(bytesToHex(hash.subarray(-ADDRESS_BYTES)));
};
