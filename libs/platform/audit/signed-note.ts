import { createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';
import { privateKeyOf, PUBLIC_KEY_BYTES, publicKeyOf, rawPublicKeyOf } from '../secrets/ed25519.js';

/** Signed notes and their keys, by C2SP signed-note and, for cosignatures, tlog-cosignature. */

/** The text is no signed note or no key, or no known key has signed the note. */
export class NoteError extends Error {
  override readonly name = 'NoteError';
}

export const ED25519 = 0x01;
/** A checkpoint that a witness has seen at a time. */
export const ED25519_COSIGNATURE = 0x04;

/** The key of a signer, as its users know it. */
export interface VerifierKey {
  readonly name: string;
  /** Four bytes, in hexadecimal. */
  readonly id: string;
  readonly type: typeof ED25519 | typeof ED25519_COSIGNATURE;
  readonly publicKey: KeyObject;
}

export interface NoteSignature {
  readonly name: string;
  /** Four bytes, in hexadecimal. */
  readonly id: string;
  /** After the id. */
  readonly bytes: Buffer;
}

export interface SignedNote {
  /** With its final line break. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

const ID_BYTES = 4;
const SIGNATURE_BYTES = 64;
const TIMESTAMP_BYTES = 8;
const NOTE_BYTES_MAX = 1_000_000;
const SIGNATURES_MAX = 100;
const SIGNATURE_LINE = /^— (\S+) (\S+)$/;
/** No spaces, which are Unicode's, and no plus sign. */
const NAME = /^[^\s+]+$/u;
/** Any control character but the line break. */
const CONTROL = /[\u0000-\u0009\u000b-\u001f]/;

export const isKeyName = (name: string): boolean => NAME.test(name) && !CONTROL.test(name);

/** Strict: the text is exactly how the bytes are written. */
export const fromBase64 = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
};

const keyIdOf = (name: string, type: number, raw: Buffer): string =>
  hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), Buffer.from([type]), raw]), 'buffer')
    .subarray(0, ID_BYTES)
    .toString('hex');

/** `<name>+<id>+<type and key in base64>` */
export const encodeVerifierKey = ({ name, id, type, publicKey }: VerifierKey): string => {
  const typed = Buffer.concat([Buffer.from([type]), rawPublicKeyOf(publicKey)]);
  return `${name}+${id}+${typed.toString('base64')}`;
};

/** @throws NoteError */
export const parseVerifierKey = (text: string): VerifierKey => {
  const [name = '', id = '', ...rest] = text.split('+');
  const bytes = fromBase64(rest.join('+'));
  const type = bytes?.[0];
  if (!isKeyName(name) || !bytes || !/^[0-9a-f]{8}$/.test(id)) {
    throw new NoteError('a verifier key is <name>+<8 hexadecimal digits>+<base64>');
  }
  if (type !== ED25519 && type !== ED25519_COSIGNATURE) {
    throw new NoteError(`the key of ${name} is of type ${type}, and only Ed25519 is supported`);
  }
  const raw = bytes.subarray(1);
  if (raw.length !== PUBLIC_KEY_BYTES) throw new NoteError(`the key of ${name} has another length`);
  if (keyIdOf(name, type, raw) !== id) throw new NoteError(`the id of the key of ${name} is wrong`);
  return { name, id, type, publicKey: publicKeyOf(raw) };
};

/** Signs notes; the seed is the private key. */
export class NoteSigner {
  readonly key: VerifierKey;
  readonly #privateKey: KeyObject;

  /** @param seed 32 bytes */
  constructor(name: string, seed: Buffer, type: VerifierKey['type'] = ED25519) {
    this.#privateKey = privateKeyOf(seed);
    const publicKey = createPublicKey(this.#privateKey);
    this.key = { name, id: keyIdOf(name, type, rawPublicKeyOf(publicKey)), type, publicKey };
  }

  /**
   * The signature line of a text, with its line break.
   * @param seconds since the Unix epoch; for a cosignature only
   */
  sign(text: string, seconds = 0): string {
    const signature = sign(null, messageOf(this.key.type, text, BigInt(seconds)), this.#privateKey);
    const time = this.key.type === ED25519 ? [] : [timestampOf(BigInt(seconds))];
    const bytes = Buffer.concat([Buffer.from(this.key.id, 'hex'), ...time, signature]);
    return `— ${this.key.name} ${bytes.toString('base64')}\n`;
  }
}

const timestampOf = (seconds: bigint): Buffer => {
  const bytes = Buffer.alloc(TIMESTAMP_BYTES);
  bytes.writeBigUInt64BE(seconds);
  return bytes;
};

const messageOf = (type: VerifierKey['type'], text: string, seconds: bigint): Buffer =>
  Buffer.from(type === ED25519 ? text : `cosignature/v1\ntime ${seconds}\n${text}`);

/** @throws NoteError */
export const parseNote = (note: string): SignedNote => {
  if (Buffer.byteLength(note) > NOTE_BYTES_MAX) throw new NoteError('the note is too long');
  if (CONTROL.test(note)) throw new NoteError('the note has a control character');
  if (!note.isWellFormed()) throw new NoteError('the note is no Unicode text');
  const at = note.lastIndexOf('\n\n');
  if (at < 0 || !note.endsWith('\n')) throw new NoteError('the note has no signature');
  const lines = note.slice(at + 2, -1);
  const text = note.slice(0, at + 1);
  return { text, signatures: lines === '' ? [] : parseSignatures(`${lines}\n`) };
};

/**
 * Signature lines alone, as a witness returns them.
 * @throws NoteError
 */
export const parseSignatures = (lines: string): readonly NoteSignature[] => {
  if (!lines.endsWith('\n')) throw new NoteError('a signature line has no end');
  const signatures = lines.slice(0, -1).split('\n').map(parseSignature);
  if (signatures.length > SIGNATURES_MAX) throw new NoteError('the note has too many signatures');
  return signatures;
};

const parseSignature = (line: string): NoteSignature => {
  const [, name = '', base64 = ''] = SIGNATURE_LINE.exec(line) ?? [];
  const bytes = fromBase64(base64);
  if (!isKeyName(name) || !bytes || bytes.length <= ID_BYTES) {
    throw new NoteError('a signature line is "— <name> <base64>"');
  }
  return { name, id: bytes.subarray(0, ID_BYTES).toString('hex'), bytes: bytes.subarray(ID_BYTES) };
};

const isValid = (text: string, { type, publicKey }: VerifierKey, bytes: Buffer): boolean => {
  const timestamp = type === ED25519 ? Buffer.alloc(0) : bytes.subarray(0, TIMESTAMP_BYTES);
  if (bytes.length !== timestamp.length + SIGNATURE_BYTES) return false;
  const seconds = type === ED25519 ? 0n : timestamp.readBigUInt64BE();
  if (seconds >= 2n ** 63n) return false;
  return verify(null, messageOf(type, text, seconds), publicKey, bytes.subarray(timestamp.length));
};

/**
 * The known keys that have signed the note. Signatures of unknown keys are ignored, as signed-note
 * says.
 * @throws NoteError for a signature of a known key that does not fit
 */
export const signersOf = (
  { text, signatures }: SignedNote,
  known: readonly VerifierKey[],
): readonly VerifierKey[] => {
  const signers = new Set<VerifierKey>();
  for (const { name, id, bytes } of signatures) {
    const key = known.find((one) => one.name === name && one.id === id);
    if (!key) continue;
    if (!isValid(text, key, bytes)) throw new NoteError(`the signature of ${name} is wrong`);
    signers.add(key);
  }
  return [...signers];
};
