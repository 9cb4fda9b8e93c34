import { randomBytes } from 'node:crypto';
import { openBox, sealBox } from './sealed-box.js';

const KEY_BYTES = 32;
const KEY_SET_ID_BYTES = 8;

/** The subject's key was destroyed: no text can be sealed for it. */
export class SubjectErasedError extends Error {
  override readonly name = 'SubjectErasedError';

  constructor(readonly subject: string) {
    super(`the key of ${subject} was erased`);
  }
}

/** The keys are unavailable; a retry may help. */
export class SubjectKeysUnavailableError extends Error {
  override readonly name = 'SubjectKeysUnavailableError';
}

/**
 * One data key for each subject (a person, mostly), wrapped by the installation's key. Sealed texts
 * may be copied anywhere, including the log and its backups: destroying the key erases every copy
 * at once. If the keys are on another machine, calls may fail with `SubjectKeysUnavailableError`.
 */
export interface SubjectKeys {
  /**
   * Makes the subject's key on first use; that key is durable before this resolves.
   * @param field what the text is, as `<event or table>.<field>`; `open` must name the same
   * @returns base64url
   * @throws SubjectErasedError
   */
  seal(subject: string, field: string, plaintext: string): Promise<string>;

  /**
   * @returns null once the subject was erased
   * @throws SealBrokenError when the text was changed or sealed for another subject or field
   */
  open(subject: string, field: string, sealed: string): Promise<string | null>;

  /** Destroys the key for ever, in every process; repeating it changes nothing. */
  erase(subject: string): Promise<void>;

  close(): void;
}

/** The subject keys of an installation: a file beside its log, or a database of its machines. */
export interface SubjectKeySet {
  /** Whether other machines have put keys there: then the master key must exist. */
  isTaken(): Promise<boolean>;

  /** 16 hex digits, chosen at the first call and kept with the keys, also by a backup. */
  id(): Promise<string>;

  /**
   * @param wrappingKey 32 bytes
   * @param check the same for every process with the same master key, and no secret
   * @throws SecretsError when the keys there are under another master key
   */
  open(wrappingKey: Buffer, check: string): Promise<SubjectKeys>;
}

export const newKeySetId = (): string => randomBytes(KEY_SET_ID_BYTES).toString('hex');

export const newWrappedKey = (wrappingKey: Buffer, subject: string): Buffer =>
  sealBox(wrappingKey, subject, randomBytes(KEY_BYTES));

export const unwrapKey = (wrappingKey: Buffer, subject: string, wrapped: Uint8Array): Buffer =>
  openBox(wrappingKey, subject, Buffer.from(wrapped));

/** @returns base64url */
export const sealText = (key: Buffer, subject: string, field: string, plaintext: string): string =>
  sealBox(key, associated(subject, field), Buffer.from(plaintext, 'utf8')).toString('base64url');

/** @throws SealBrokenError */
export const openText = (key: Buffer, subject: string, field: string, sealed: string): string =>
  openBox(key, associated(subject, field), Buffer.from(sealed, 'base64url')).toString('utf8');

const associated = (subject: string, field: string): string => `${subject}\n${field}`;
