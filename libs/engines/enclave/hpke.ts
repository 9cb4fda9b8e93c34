/**
 * HPKE in the base mode of RFC 9180, with the suite of its first vectors: DHKEM(X25519,
 * HKDF-SHA256), HKDF-SHA256, AES-128-GCM. The enclave process runs this file without a compiler, so
 * it is written in erasable syntax.
 */
import {
  Aes128Gcm,
  CipherSuite,
  DhkemX25519HkdfSha256,
  HkdfSha256,
  type RecipientContext,
  type SenderContext,
} from '@hpke/core';
import {
  createCipheriv,
  createDecipheriv,
  hkdfSync,
  randomBytes,
  type webcrypto,
} from 'node:crypto';

export const SUITE_NAME = 'DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-128-GCM';
/** Of an encapsulated key, which begins a sealed message. */
export const ENCAPSULATED_BYTES = 32;
/** DER of a SubjectPublicKeyInfo of X25519 (RFC 8410), before the 32 bytes of the key. */
const SPKI_PREFIX = Buffer.from('302a300506032b656e032100', 'hex');
const REPLY_LABEL = 'quipu/enclave-reply/1';
const REPLY_ALGORITHM = 'aes-128-gcm';
const REPLY_KEY_BYTES = 16;
const REPLY_NONCE_BYTES = 12;
const TAG_BYTES = 16;

const suite = new CipherSuite({
  kem: new DhkemX25519HkdfSha256(),
  kdf: new HkdfSha256(),
  aead: new Aes128Gcm(),
});

export type HpkeKeyPair = webcrypto.CryptoKeyPair;

/** The same seed gives the same key (RFC 9180, `DeriveKeyPair`). @param seed 32 bytes */
export const deriveHpkeKey = (seed: Uint8Array): Promise<HpkeKeyPair> =>
  suite.kem.deriveKeyPair(Uint8Array.from(seed).buffer);

/** The public key as DER of a SubjectPublicKeyInfo. */
export const spkiOf = async ({ publicKey }: Pick<HpkeKeyPair, 'publicKey'>): Promise<Buffer> =>
  Buffer.concat([SPKI_PREFIX, Buffer.from(await suite.kem.serializePublicKey(publicKey))]);

/** A message was sealed for another key or context, or was changed. */
export class UnsealableError extends Error {
  override readonly name = 'UnsealableError';
}

/** A message that was opened or sealed; its reply is sealed with a key that only both ends have. */
export interface SealedExchange {
  /** The opened text (`openMessage`), or the message to send (`sealMessage`). */
  readonly bytes: Buffer;
  readonly enc: Buffer;
  /** 32 bytes that both ends export. */
  readonly replySecret: Buffer;
}

/** @param spki of the recipient, as DER */
export const sealMessage = async (
  spki: Uint8Array,
  info: string,
  aad: string,
  plaintext: Uint8Array,
  ekm?: HpkeKeyPair,
): Promise<SealedExchange> => {
  const raw = Uint8Array.from(spki.subarray(SPKI_PREFIX.length));
  const recipientPublicKey = (await suite.kem.deserializePublicKey(
    raw.buffer,
  )) as webcrypto.CryptoKey;
  const sender = await suite.createSenderContext({
    recipientPublicKey,
    info: utf8(info),
    ...(ekm && { ekm }),
  });
  const ciphertext = await sender.seal(Uint8Array.from(plaintext), utf8(aad));
  const enc = Buffer.from(sender.enc);
  const bytes = Buffer.concat([enc, Buffer.from(ciphertext)]);
  return { bytes, enc, replySecret: await replySecretOf(sender) };
};

/** @throws UnsealableError */
export const openMessage = async (
  { privateKey }: Pick<HpkeKeyPair, 'privateKey'>,
  info: string,
  aad: string,
  message: Uint8Array,
): Promise<SealedExchange> => {
  try {
    const enc = Uint8Array.from(message.subarray(0, ENCAPSULATED_BYTES));
    const recipient = await suite.createRecipientContext({
      recipientKey: privateKey,
      enc: enc.buffer,
      info: utf8(info),
    });
    const ciphertext = Uint8Array.from(message.subarray(ENCAPSULATED_BYTES));
    const plaintext = await recipient.open(ciphertext, utf8(aad));
    return {
      bytes: Buffer.from(plaintext),
      enc: Buffer.from(enc),
      replySecret: await replySecretOf(recipient),
    };
  } catch (cause) {
    throw new UnsealableError('the message is not sealed for this key and context', { cause });
  }
};

/** As Oblivious HTTP seals responses (RFC 9458, 4.4): nonce, then ciphertext and tag. */
export const sealReply = (
  { enc, replySecret }: Pick<SealedExchange, 'enc' | 'replySecret'>,
  plaintext: Uint8Array,
): Buffer => {
  const salt = randomBytes(REPLY_KEY_BYTES);
  const { key, nonce } = replyKeyOf(enc, replySecret, salt);
  const cipher = createCipheriv(REPLY_ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  return Buffer.concat([salt, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
};

/** @throws UnsealableError */
export const openReply = (
  { enc, replySecret }: Pick<SealedExchange, 'enc' | 'replySecret'>,
  reply: Buffer,
): Buffer => {
  try {
    const salt = reply.subarray(0, REPLY_KEY_BYTES);
    const { key, nonce } = replyKeyOf(enc, replySecret, salt);
    const decipher = createDecipheriv(REPLY_ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(reply.subarray(-TAG_BYTES));
    const ciphertext = reply.subarray(REPLY_KEY_BYTES, -TAG_BYTES);
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
  } catch (cause) {
    throw new UnsealableError('the reply is not sealed for this exchange', { cause });
  }
};

const replyKeyOf = (enc: Buffer, secret: Buffer, salt: Buffer) => {
  const salted = Buffer.concat([enc, salt]);
  const part = (label: string, length: number): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, salted, label, length));
  return { key: part('key', REPLY_KEY_BYTES), nonce: part('nonce', REPLY_NONCE_BYTES) };
};

const replySecretOf = async (context: SenderContext | RecipientContext): Promise<Buffer> =>
  Buffer.from(await context.export(utf8(REPLY_LABEL), 32));

const utf8 = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(text, 'utf8'));
