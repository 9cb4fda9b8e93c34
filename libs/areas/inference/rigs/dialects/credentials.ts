import { readFile } from 'node:fs/promises';
import { RigError } from '../chat-backend.js';
import { type Credential } from './dialect.js';

/** How a kind of provider takes a key. */
export type KeyHeaders = (key: string) => Readonly<Record<string, string>>;

export const bearer: KeyHeaders = (key) => ({ authorization: `Bearer ${key}` });

/** A secret, or the file that holds nothing else. */
export type SecretValue = { readonly key: string } | { readonly file: string };

/** A key in a header. The key of a file is read again when the provider rejects it. */
export const keyCredential = (
  rig: string,
  secret: SecretValue,
  headersOf: KeyHeaders,
): Credential => {
  if ('key' in secret) {
    const headers = headersOf(secret.key);
    return { headersFor: () => headers };
  }
  let read: Promise<Readonly<Record<string, string>>> | null = null;
  return {
    headersFor: () => {
      read ??= secretIn(rig, secret).then(headersOf);
      read.catch(() => (read = null));
      return read;
    },
    rejected: () => {
      read = null;
    },
  };
};

/** @throws RigError `failed` that names the rig, and neither the file nor the secret */
export const secretIn = async (rig: string, secret: SecretValue): Promise<string> => {
  if ('key' in secret) return secret.key;
  try {
    const text = (await readFile(secret.file, 'utf8')).trim();
    if (text !== '') return text;
  } catch (cause) {
    throw new RigError('failed', `the key file of rig ${rig} cannot be read`, { cause });
  }
  throw new RigError('failed', `the key file of rig ${rig} is empty`);
};
