import { createHmac, createSecretKey } from 'node:crypto';
import { type Secrets } from './secrets.js';

export const TEXT_HASHER = Symbol('TextHasher');

/**
 * Hashes prompts and replies under a key of this installation, as the evidence of charges has them:
 * 256 bits in hex.
 */
export type TextHasher = (text: string) => string;

/** SHA-256, which processors have instructions for: a prompt may have megabytes. */
export const keyedHasher = (secrets: Pick<Secrets, 'key'>): TextHasher => {
  const key = createSecretKey(secrets.key('prompt-hash'));
  return (text) => createHmac('sha256', key).update(text).digest('hex');
};
