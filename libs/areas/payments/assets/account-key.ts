import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';

/**
 * An extended public key of an account (BIP-32), from which addresses derive. It can receive and
 * cannot spend.
 */
export interface AccountKey {
  readonly chainCode: Uint8Array;
  /** Compressed, 33 bytes. */
  readonly publicKey: Uint8Array;
  /** Identifies the key, whichever prefix it is written with. */
  readonly fingerprint: string;
}

/** The networks whose addresses derive from an extended public key. */
export type KeyedNetwork = 'bitcoin' | 'litecoin' | 'bitcoin-cash' | 'dogecoin' | 'ethereum';

/** The version bytes of SLIP-132 and of the wallets of each network, by their prefix. */
const PREFIXES: Readonly<Record<string, number>> = {
  xpub: 0x04_88_b2_1e,
  zpub: 0x04_b2_47_46,
  Ltub: 0x01_9d_a4_62,
  dgub: 0x02_fa_ca_fd,
};

const ACCEPTED: Readonly<Record<KeyedNetwork, readonly string[]>> = {
  bitcoin: ['zpub', 'xpub'],
  litecoin: ['zpub', 'Ltub', 'xpub'],
  'bitcoin-cash': ['xpub'],
  dogecoin: ['dgub', 'xpub'],
  ethereum: ['xpub'],
};

const KEY_BYTES = 78;
const CHECKSUM_BYTES = 4;
const HARDENED = 0x80_00_00_00;
/** m / purpose' / coin' / account'. */
const ACCOUNT_DEPTH = 3;
const FINGERPRINT_BYTES = 16;

/** The text is no extended public key of an account; the message never repeats the text. */
export class AccountKeyError extends Error {
  override readonly name = 'AccountKeyError';
}

/** @throws AccountKeyError */
export const readAccountKey = (text: string, network: KeyedNetwork): AccountKey => {
  const prefix = text.slice(0, 'xpub'.length);
  const accepted = ACCEPTED[network];
  if (/^..[rp]v$/.test(prefix)) {
    throw new AccountKeyError('it is a private key, which must never be in the settings');
  }
  const bytes = decoded(text);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const version = view.getUint32(0);
  if (!accepted.some((one) => PREFIXES[one] === version)) {
    throw new AccountKeyError(`expected a key that begins with ${accepted.join(' or ')}`);
  }
  if (view.getUint8(4) !== ACCOUNT_DEPTH || view.getUint32(9) < HARDENED) {
    throw new AccountKeyError("expected the key of an account: m / purpose' / coin' / account'");
  }
  const [chainCode, publicKey] = [bytes.slice(13, 45), bytes.slice(45)];
  if (publicKey[0] !== 2 && publicKey[0] !== 3) throw new AccountKeyError('it is no public key');
  const digest = createHash('sha256').update(chainCode).update(publicKey).digest();
  const fingerprint = digest.subarray(0, FINGERPRINT_BYTES).toString('hex');
  return { chainCode, publicKey, fingerprint };
};

const decoded = (text: string): Uint8Array => {
  const malformed = new AccountKeyError('it is not an extended public key, or has a typing error');
  let bytes: Uint8Array;
  try {
    bytes = base58.decode(text);
  } catch {
    throw malformed;
  }
  const content = bytes.slice(0, -CHECKSUM_BYTES);
  const checksum = sha256(sha256(content)).subarray(0, CHECKSUM_BYTES);
  if (content.length !== KEY_BYTES || !checksum.equals(bytes.subarray(-CHECKSUM_BYTES))) {
    throw malformed;
  }
  return content;
};

const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();
