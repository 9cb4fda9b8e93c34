import { createPublicKey, type KeyObject } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { canonicalJson } from '#platform/kernel/canonical-json.js';
import { privateKeyOf } from '#platform/secrets/ed25519.js';
import {
  demandSuccessor,
  keyIdOf,
  keysOf,
  readRoot,
  type Root,
  rootOf,
  type SignedRoot,
  withSignature,
} from './root-metadata.js';

const privateKeys = Array.from({ length: 6 }, (_, index) => privateKeyOf(Buffer.alloc(32, index)));
const publicKeys = privateKeys.map((key) => createPublicKey(key));
const keyAt = <Key>(keys: readonly Key[], index: number): Key => {
  const key = keys[index];
  if (key === undefined) throw new RangeError(`no key ${index}`);
  return key;
};

const one = (index: number) => ({ keys: [keyAt(publicKeys, index)], threshold: 1 });

const rootWith = (version: number, keys: readonly number[], threshold: number): Root =>
  rootOf(
    {
      root: { keys: keys.map((index): KeyObject => keyAt(publicKeys, index)), threshold },
      seal: one(4),
      licence: one(5),
      log: one(5),
    },
    { version, generation: 1, expires: '2027-01-01T00:00:00.000Z' },
  );

const signedBy = (signed: Root, ...signers: readonly number[]): SignedRoot =>
  signers.reduce<SignedRoot>(
    (root, index) =>
      withSignature(root, keyAt(privateKeys, index), keyIdOf(keyAt(publicKeys, index))),
    { signatures: [], signed },
  );

const first = rootWith(1, [0, 1, 2], 2);

describe('the root of the keys', () => {
  it('is in force with a threshold of its own signatures', () => {
    demandSuccessor(signedBy(first, 0, 2), undefined);
    expect(() => demandSuccessor(signedBy(first, 0), undefined)).toThrow('1 signatures');
    expect(() => demandSuccessor(signedBy(first, 0, 3), undefined)).toThrow('1 signatures');
  });

  it('is followed by a root that the old keys and the new ones have signed', () => {
    const next = rootWith(2, [2, 3], 2);
    demandSuccessor(signedBy(next, 0, 2, 3), first);
    expect(() => demandSuccessor(signedBy(next, 2, 3), first)).toThrow('keys of root 1');
    expect(() => demandSuccessor(signedBy(next, 0, 1), first)).toThrow('keys of root 2');
  });

  it.each([1, 3])('is not followed by version %i', (version) => {
    const next = signedBy(rootWith(version, [0, 1, 2], 2), 0, 1);
    expect(() => demandSuccessor(next, first)).toThrow('2 is next');
  });

  it('does not count a signature of other bytes', () => {
    const { signatures } = signedBy({ ...first, expires: '2037-01-01T00:00:00.000Z' }, 0, 1);
    expect(() => demandSuccessor({ signatures, signed: first }, undefined)).toThrow('0 signatures');
  });

  it('is read as it was written, with its keys', () => {
    const signed = signedBy(first, 0, 1);
    const read = readRoot(JSON.parse(canonicalJson(signed)));
    expect(read).toEqual(signed);
    expect(keysOf(read.signed, 'seal').map(keyIdOf)).toEqual([keyIdOf(keyAt(publicKeys, 4))]);
  });

  const { keys, roles } = first;
  const [id = ''] = roles.root.keyids;
  it.each<[string, object]>([
    ['another type', { _type: 'targets' }],
    ['a version of 0', { version: 0 }],
    ['no expiry', { expires: 'never' }],
    ['a threshold above its keys', { roles: { ...roles, root: { ...roles.root, threshold: 4 } } }],
    ['a key twice', { roles: { ...roles, root: { keyids: [id, id], threshold: 2 } } }],
    ['an unknown key', { roles: { ...roles, root: { keyids: ['a'.repeat(64)], threshold: 1 } } }],
    ['no role of licences', { roles: { ...roles, licence: undefined } }],
    ['a key under another id', { keys: { ...keys, ['a'.repeat(64)]: keys[id] } }],
  ])('is not read with %s', (_, change) => {
    const value = { signatures: [], signed: { ...first, ...change } };
    expect(() => readRoot(JSON.parse(JSON.stringify(value)))).toThrow('not the signed metadata');
  });

  it.each([null, [], {}, { signatures: [], signed: null }, { signatures: [{}], signed: first }])(
    'is not %j',
    (value) => {
      expect(() => readRoot(value)).toThrow('not the signed metadata');
    },
  );
});
