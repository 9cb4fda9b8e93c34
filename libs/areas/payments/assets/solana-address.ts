import { base58 } from '@scure/base';

const KEY_BYTES = 32;

/** Whether a text is 32 bytes in base 58, as accounts of Solana are written. */
export const isSolanaAddress = (text: string): boolean => {
  try {
    return base58.decode(text).length === KEY_BYTES;
  } catch {
    return false;
  }
};

/** @param bytes 32 */
export const solanaAddressOf = (bytes: Uint8Array): string => base58.encode(bytes);
