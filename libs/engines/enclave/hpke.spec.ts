import { describe, expect, it } from '@jest/globals';
import { CipherSuite, Aes128Gcm, DhkemX25519HkdfSha256, HkdfSha256 } from '@hpke/core';
import {
  deriveHpkeKey,
  ENCAPSULATED_BYTES,
  openMessage,
  openReply,
  sealMessage,
  sealReply,
  spkiOf,
  UnsealableError,
} from './hpke.js';

const hex = (text: string): Buffer => Buffer.from(text, 'hex');

/** RFC 9180, A.1.1: the base mode of this suite. */
const VECTOR = {
  info: hex('4f6465206f6e2061204772656369616e2055726e').toString(),
  ikmE: '7268600d403fce431561aef583ee1613527cff655c1343f29812e66706df3234',
  ikmR: '6db9df30aa07dd42ee5e8181afdb977e538f5e1fec8a06223f33f7013e525037',
  pkRm: '3948cfe0ad1ddb695d780e59077195da6c56506b027329794ab02bca80815c4d',
  enc: '37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431',
  plaintext: hex('4265617574792069732074727574682c20747275746820626561757479'),
  aad: hex('436f756e742d30').toString(),
  ciphertext:
    'f938558b5d72f1a23810b4be2ab4f84331acc02fc97babc53a52ae8218a355a96d8770ac83d07bea87e13c512a',
  exported: 'e9e43065102c3836401bed8c3c3c75ae46be1639869391d62c61f1ec7af54931',
};

describe('HPKE', () => {
  it('derives the key of RFC 9180', async () => {
    const spki = await spkiOf(await deriveHpkeKey(hex(VECTOR.ikmR)));
    expect(spki.toString('hex')).toBe(`302a300506032b656e032100${VECTOR.pkRm}`);
  });

  it('seals the message of RFC 9180', async () => {
    const spki = await spkiOf(await deriveHpkeKey(hex(VECTOR.ikmR)));
    const ekm = await deriveHpkeKey(hex(VECTOR.ikmE));
    const { bytes } = await sealMessage(spki, VECTOR.info, VECTOR.aad, VECTOR.plaintext, ekm);
    expect(bytes.toString('hex')).toBe(VECTOR.enc + VECTOR.ciphertext);
  });

  it('opens the message of RFC 9180', async () => {
    const key = await deriveHpkeKey(hex(VECTOR.ikmR));
    const opened = await openMessage(
      key,
      VECTOR.info,
      VECTOR.aad,
      hex(VECTOR.enc + VECTOR.ciphertext),
    );
    expect(opened.bytes).toEqual(VECTOR.plaintext);
  });

  it('exports the secret of RFC 9180', async () => {
    const suite = new CipherSuite({
      kem: new DhkemX25519HkdfSha256(),
      kdf: new HkdfSha256(),
      aead: new Aes128Gcm(),
    });
    const recipient = await suite.createRecipientContext({
      recipientKey: (await deriveHpkeKey(hex(VECTOR.ikmR))).privateKey,
      enc: Uint8Array.from(hex(VECTOR.enc)).buffer,
      info: Uint8Array.from(Buffer.from(VECTOR.info)),
    });
    const exported = await recipient.export(Uint8Array.from(Buffer.from('TestContext')), 32);
    expect(Buffer.from(exported).toString('hex')).toBe(VECTOR.exported);
  });

  it('opens a reply at the other end only', async () => {
    const key = await deriveHpkeKey(Buffer.alloc(32, 7));
    const spki = await spkiOf(key);
    const sent = await sealMessage(spki, 'info', 'aad', Buffer.from('question'));
    const other = await sealMessage(spki, 'info', 'aad', Buffer.from('question'));
    const opened = await openMessage(key, 'info', 'aad', sent.bytes);
    const reply = sealReply(opened, Buffer.from('answer'));
    expect(openReply(sent, reply).toString()).toBe('answer');
    expect(() => openReply(other, reply)).toThrow(UnsealableError);
    expect(() => openReply(sent, reply.subarray(1))).toThrow(UnsealableError);
    expect(() => openReply(sent, Buffer.alloc(3))).toThrow(UnsealableError);
  });

  it.each<[string, (bytes: Buffer) => Parameters<typeof openMessage>]>([
    ['another key', (bytes) => [OTHER, 'info', 'aad', bytes]],
    ['another info', (bytes) => [KEY, 'other', 'aad', bytes]],
    ['other associated data', (bytes) => [KEY, 'info', 'other', bytes]],
    ['a message that is cut', (bytes) => [KEY, 'info', 'aad', bytes.subarray(0, -1)]],
    [
      'a message without text',
      (bytes) => [KEY, 'info', 'aad', bytes.subarray(0, ENCAPSULATED_BYTES)],
    ],
    ['a key of order 1', (bytes) => [KEY, 'info', 'aad', Buffer.concat([Buffer.alloc(32), bytes])]],
    ['no message', () => [KEY, 'info', 'aad', Buffer.alloc(0)]],
  ])('does not open with %s', async (_what, change) => {
    const { bytes } = await sealMessage(await spkiOf(KEY), 'info', 'aad', Buffer.from('text'));
    await expect(openMessage(...change(bytes))).rejects.toThrow(UnsealableError);
  });
});

const KEY = await deriveHpkeKey(Buffer.alloc(32, 1));
const OTHER = await deriveHpkeKey(Buffer.alloc(32, 2));
