import { hash } from 'node:crypto';
import { type Secrets } from './secrets.js';

export const TEXT_HASHER = Symbol('TextHasher');

/**
 * Hashes prompts and replies under a key of this installation, as the evidence of charges has them:
 * 256 bits in hex.
 */
export type TextHasher = (text: string) => string;

export const keyedHasher = (secrets: Pick<Secrets, 'key'>): TextHasher => {
  const key = secrets.key('prompt-hash').toString('hex');
  // Keccak has no length extension, so a key in front makes a MAC without HMAC's second pass
  // (keccak.team, "Strengths of Keccak"); this runs twice for every chat.
  return (text) => hash('sha3-256', key + text);
};
