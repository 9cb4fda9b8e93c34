import { pbkdf2Sync } from 'node:crypto';
import { hex } from '@scure/base';
import { HDKey } from '@scure/bip32';
import { describe, expect, it } from '@jest/globals';
import { AccountKeyError, type KeyedNetwork, readAccountKey } from './account-key.js';
import { addressAt } from './addresses.js';
import { type CashAddressKind, encodeCashAddress } from './cash-address.js';
import { checksummed } from './ethereum-address.js';

/** The extended keys of the test vectors: BIP-84, and BIP-32, vector 1. */
const BIP84_ZPUB =
  'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3Ef' +
  'H1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs';
const BIP32_M_0H_1_2H =
  'xpub6D4BDPcP2GT577Vvch3R8wDkScZWzQzMMUm3PWbmWvVJrZwQY4VUNgqF' +
  'JPMM3No2dFDFGTsxxpG5uJh7n7epu4trkrX7x7DogT5Uv6fcLW5';
const BIP32_M_0H_1_2H_2 =
  'xpub6FHa3pjLCk84BayeJxFW2SP4XRrFd1JYnxeLeU8EqN3vDfZmbqBqaGJA' +
  'yiLjTAwm6ZLRQUMv1ZACTj37sR62cfN7fe5JnJ7dh8zL4fiyLHV';

/** The mnemonics of BIP-39's vectors and of the development chains of Ethereum. */
const ABANDON = `${'abandon '.repeat(11)}about`;
const JUNK = `${'test '.repeat(11)}junk`;

const accountOf = (mnemonic: string, path: string, network: KeyedNetwork) => {
  const seed = pbkdf2Sync(mnemonic, 'mnemonic', 2_048, 64, 'sha512');
  return readAccountKey(HDKey.fromMasterSeed(seed).derive(path).publicExtendedKey, network);
};

describe('an extended public key', () => {
  it('gives the addresses of the vectors of BIP-84', () => {
    const key = readAccountKey(BIP84_ZPUB, 'bitcoin');
    expect([0, 1].map((index) => addressAt('bitcoin', key, index))).toEqual([
      'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
      'bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g',
    ]);
  });

  it('has the children of the vectors of BIP-32', () => {
    const { chainCode, publicKey } = readAccountKey(BIP32_M_0H_1_2H, 'bitcoin');
    const child = new HDKey({ chainCode, publicKey }).deriveChild(2);
    const expected = HDKey.fromExtendedKey(BIP32_M_0H_1_2H_2);
    expect([child.publicKey, child.chainCode]).toEqual([expected.publicKey, expected.chainCode]);
  });

  it.each<[KeyedNetwork, string, string, string]>([
    ['bitcoin', ABANDON, "m/84'/0'/0'", 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu'],
    ['litecoin', ABANDON, "m/84'/2'/0'", 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh'],
    ['dogecoin', ABANDON, "m/44'/3'/0'", 'DBus3bamQjgJULBJtYXpEzDWQRwF5iwxgC'],
    [
      'bitcoin-cash',
      ABANDON,
      "m/44'/145'/0'",
      'bitcoincash:qqyx49mu0kkn9ftfj6hje6g2wfer34yfnq5tahq3q6',
    ],
    ['ethereum', ABANDON, "m/44'/60'/0'", '0x9858EfFD232B4033E47d90003D41EC34EcaEda94'],
    ['ethereum', JUNK, "m/44'/60'/0'", '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'],
  ])('on %s has the first address that wallets show', (network, mnemonic, path, address) => {
    expect(addressAt(network, accountOf(mnemonic, path, network), 0)).toBe(address);
  });

  it('is the same key with every prefix', () => {
    const zpub = readAccountKey(BIP84_ZPUB, 'bitcoin');
    const xpub = accountOf(ABANDON, "m/84'/0'/0'", 'bitcoin');
    expect(zpub).toEqual(xpub);
    expect(zpub.fingerprint).toMatch(/^[0-9a-f]{32}$/);
  });

  const root = HDKey.fromMasterSeed(hex.decode('000102030405060708090a0b0c0d0e0f'));
  it.each([
    ['a private key', root.derive("m/84'/0'/0'").privateExtendedKey, 'a private key'],
    ['the key of no account', root.publicExtendedKey, 'the key of an account'],
    ['a key of an address', root.derive("m/84'/0'/0'/0").publicExtendedKey, 'the key of an acc'],
    ['an account that is not hardened', root.derive('m/84/0/0').publicExtendedKey, 'the key of'],
    ['a typing error', BIP84_ZPUB.replace('rFR7', 'rFR8'), 'a typing error'],
    ['a part of a key', BIP84_ZPUB.slice(0, 60), 'a typing error'],
    ['no base 58', 'zpub0OIl', 'a typing error'],
  ])('is not %s', (_, text, reason) => {
    const reading = () => readAccountKey(text, 'bitcoin');
    expect(reading).toThrow(AccountKeyError);
    expect(reading).toThrow(reason);
    expect(reading).not.toThrow(text);
  });

  it('is of a kind of its network', () => {
    expect(() => readAccountKey(BIP84_ZPUB, 'ethereum')).toThrow('begins with xpub');
    expect(() => readAccountKey(BIP84_ZPUB, 'dogecoin')).toThrow('begins with dgub or xpub');
  });
});

describe('an address of Ethereum', () => {
  it.each([
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
    '0xde709f2102306220921060314715629080e2fb77',
    '0x27b1fdb04752bbc536007a920d24acb045561c26',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  ])('has the checksum of the vectors of EIP-55: %s', (address) => {
    expect(checksummed(address.slice(2))).toBe(address);
  });
});

describe('an address of Bitcoin Cash', () => {
  const HASH = 'f5bf48b397dae70be82b3cca4793f8eb2b6cdac9';
  it.each<[CashAddressKind, string, string, string]>([
    ['p2pkh', 'bitcoincash', HASH, 'qr6m7j9njldwwzlg9v7v53unlr4jkmx6eylep8ekg2'],
    ['p2sh', 'bchtest', HASH, 'pr6m7j9njldwwzlg9v7v53unlr4jkmx6eyvwc0uz5t'],
    [
      'p2pkh',
      'bitcoincash',
      '76a04053bda0a88bda5177b86a15c3b29f559873',
      'qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a',
    ],
    [
      'p2sh',
      'bitcoincash',
      '76a04053bda0a88bda5177b86a15c3b29f559873',
      'ppm2qsznhks23z7629mms6s4cwef74vcwvn0h829pq',
    ],
  ])('is encoded as in the vectors of CashAddr: %s of %s', (kind, prefix, hash, address) => {
    expect(encodeCashAddress(hex.decode(hash), kind, prefix)).toBe(`${prefix}:${address}`);
  });
});
