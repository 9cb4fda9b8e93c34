import { createPublicKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { privateKeyOf } from '#platform/secrets/ed25519.js';
import { isMinisigned, minisignatureOf, minisignKeyOf } from './minisign.js';

/** Made with minisign 0.11: its id of the key is random, the rest follows from the key. */
const SEED = '553cf8bb4bef5349c06c9ceb759135f47ebf6d90ed17faedbc714c13391745d7';
const SIGNATURE =
  'RUT616RrW8NNdqTwuaR1pczB1mUcCo0TLQEPx/Ojg+T/QtrHqqUWSo/f4iwniWjQ/ELQNzi7t8GqWrsSJspHD383a' +
  'POtOPze7A4=';
const WHOLE =
  'wb5Zy37ees2A/yufUXKZXiJzECb/Sjq+k9XsEb0pcTGBauWWSbkKUa1c28lXfvPM7F0M8Y5+2dIwB1Jk8ZlCAg==';
const KEY = 'RWT616RrW8NNdlt8xeJ8ArLIOMyXwWVVEdROf0s5rZwO5FNY3NNvYai1';
const TRUSTED = 'package_uuid:6f1f1b62-2f63-4a30-9b5c-0a4f2f0f5a11';
const CONTENT = Buffer.from('{"format":"quipu.package.v1"}');

const privateKey = privateKeyOf(Buffer.from(SEED, 'hex'));
const publicKey = createPublicKey(privateKey);
const withoutId = (line: string): Buffer => {
  const bytes = Buffer.from(line, 'base64');
  return Buffer.concat([bytes.subarray(0, 2), bytes.subarray(10)]);
};

describe('a signature in the format of minisign', () => {
  const text = minisignatureOf(CONTENT, TRUSTED, privateKey, publicKey);

  it('is the one that minisign makes, but for the id of the key', () => {
    const [, line = '', comment, whole] = text.split('\n');
    expect(withoutId(line)).toEqual(withoutId(SIGNATURE));
    expect(comment).toBe(`trusted comment: ${TRUSTED}`);
    expect(whole).toBe(WHOLE);
    expect(withoutId(minisignKeyOf(publicKey).split('\n')[1] ?? '')).toEqual(withoutId(KEY));
  });

  it('verifies, and not with a changed content, comment or key', () => {
    expect(isMinisigned(CONTENT, text, publicKey)).toBe(true);
    expect(isMinisigned(Buffer.from('{}'), text, publicKey)).toBe(false);
    expect(isMinisigned(CONTENT, text.replace('6f1f', '6f1e'), publicKey)).toBe(false);
    const other = createPublicKey(privateKeyOf(Buffer.alloc(32, 1)));
    expect(isMinisigned(CONTENT, text, other)).toBe(false);
    expect(isMinisigned(CONTENT, 'no signature', publicKey)).toBe(false);
  });
});
