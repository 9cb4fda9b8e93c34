import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  type KeyObject,
  createSecretKey,
  randomBytes,
} from 'node:crypto';
import { AnswerStoreError } from './answer-store.errors.js';
import { type IdempotentRequest, type StoredAnswer } from './answer-store.port.js';

/** The stored form of a request: two HMAC-SHA-256 values of 32 bytes. */
export interface RequestIdentity {
  /** Of scope and key. */
  readonly keyHash: Uint8Array;
  /** Of the body, bound to the key: equal bodies under two keys do not look equal. */
  readonly fingerprint: Uint8Array;
}

/** An answer with the log that it rests on. */
export interface AnswerOfLog extends StoredAnswer {
  /** An event that the log had when the answer was kept; null where it rests on none. */
  readonly event: string | null;
}

type AnswerHead = Omit<AnswerOfLog, 'body'>;

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const LENGTH_BYTES = 4;

/**
 * Encrypts stored answers. Each purpose has its own key, derived from one secret (HKDF-SHA-256). A
 * sealed answer is nonce, tag and AES-256-GCM ciphertext; the request's identity is its additional
 * data, so that an answer moved to another entry does not open.
 */
export class AnswerSeal {
  readonly #hashing: KeyObject;
  readonly #fingerprinting: KeyObject;
  readonly #sealing: KeyObject;

  /** @param secret 32 bytes */
  constructor(secret: Uint8Array) {
    if (secret.byteLength !== KEY_BYTES) {
      throw new RangeError(`the key that seals answers has ${KEY_BYTES} bytes`);
    }
    const derive = (purpose: string): KeyObject => {
      const key = hkdfSync('sha256', secret, '', `quipu answers ${purpose} 1`, KEY_BYTES);
      return createSecretKey(Buffer.from(key));
    };
    this.#hashing = derive('key hash');
    this.#fingerprinting = derive('fingerprint');
    this.#sealing = derive('seal');
  }

  identify({ scope, key, body }: Omit<IdempotentRequest, 'attempt'>): RequestIdentity {
    const named = Buffer.from(scope);
    const keyHash = createHmac('sha256', this.#hashing)
      // Its length first: no scope and key may read like another scope and key.
      .update(lengthOf(named))
      .update(named)
      .update(key)
      .digest();
    const hmac = createHmac('sha256', this.#fingerprinting);
    return { keyHash, fingerprint: hmac.update(keyHash).update(body).digest() };
  }

  seal(identity: RequestIdentity, { status, headers, body, event }: AnswerOfLog): Uint8Array {
    const head = Buffer.from(JSON.stringify({ status, headers, event } satisfies AnswerHead));
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#sealing, nonce);
    cipher.setAAD(additionalData(identity));
    const parts = [lengthOf(head), head, body].map((part) => cipher.update(part));
    const last = cipher.final();
    return Buffer.concat([nonce, cipher.getAuthTag(), ...parts, last]);
  }

  /** @throws AnswerStoreError `answer-unreadable` */
  open(identity: RequestIdentity, sealed: Uint8Array): AnswerOfLog {
    const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
    try {
      const decipher = createDecipheriv(CIPHER, this.#sealing, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(additionalData(identity));
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const ciphertext = bytes.subarray(NONCE_BYTES + TAG_BYTES);
      const plain = Buffer.concat([decipher.update(ciphertext), decipher.final()]);
      const bodyAt = LENGTH_BYTES + plain.readUInt32BE();
      const head = JSON.parse(plain.toString('utf8', LENGTH_BYTES, bodyAt)) as AnswerHead;
      return { ...head, body: new Uint8Array(plain.subarray(bodyAt)) };
    } catch (cause) {
      throw new AnswerStoreError('answer-unreadable', 'a kept answer does not open', { cause });
    }
  }
}

const additionalData = ({ keyHash, fingerprint }: RequestIdentity): Uint8Array =>
  Buffer.concat([keyHash, fingerprint]);

const lengthOf = (bytes: Uint8Array): Uint8Array => {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(bytes.byteLength);
  return length;
};
