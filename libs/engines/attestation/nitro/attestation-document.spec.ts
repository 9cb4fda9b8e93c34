import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { appraise, NO_REFERENCES } from '../appraisal.js';
import { BINDING } from '../binding.fixture.js';
import { isDebugMode, verifyNitroDocument } from './attestation-document.js';

/** Documents of real enclaves, which projects on GitHub have published. */
const read = (name: string): Buffer =>
  Buffer.from(readFileSync(new URL(`documents/${name}.base64`, import.meta.url), 'utf8'), 'base64');

/** noauth-enclaved, a signer; its README has the document beside the registers. */
const PRODUCTION = read('production');
const MADE_AT = Date.parse('2025-04-01T14:16:10.144Z');
/** attestation-doc-validation, a verifier. */
const DEBUG = read('debug');
const DEBUG_AT = Date.parse('2023-09-18T15:03:30.860Z');

const PCR_0 =
  '517a9ec66c4c8e8f3b309c4a4598e2383dff4ec07dfa4861' +
  '7c2d7ec9b1fbf86a597b4376b18114914a31af2ea12a2db6';

const changed = (bytes: Buffer, at: number): Buffer => {
  const copy = Buffer.from(bytes);
  const index = at < 0 ? copy.length + at : at;
  copy.writeUInt8(copy.readUInt8(index) ^ 1, index);
  return copy;
};

describe('a Nitro document', () => {
  it('of a production enclave has the published registers', () => {
    const document = verifyNitroDocument(PRODUCTION, MADE_AT);
    expect(document.pcrs.get(0)?.toString('hex')).toBe(PCR_0);
    expect(document.publicKey).toHaveLength(32);
    expect(document).toMatchObject({
      moduleId: 'i-0ffff615a409a72d7-enc0195f17eaba9b385',
      atMs: MADE_AT,
      userData: null,
      nonce: null,
    });
    expect(isDebugMode(document)).toBe(false);
  });

  it('of a debug enclave is recognised', () => {
    expect(isDebugMode(verifyNitroDocument(DEBUG, DEBUG_AT))).toBe(true);
  });

  it.each([
    ['before its certificates', MADE_AT - 86_400_000],
    ['after three hours', MADE_AT + 3 * 3_600_000],
  ])('is rejected %s', (_when, atMs) => {
    expect(() => verifyNitroDocument(PRODUCTION, atMs)).toThrow(/is valid from/);
  });

  it('is rejected under another root', () => {
    expect(() => verifyNitroDocument(PRODUCTION, MADE_AT, 'a'.repeat(64))).toThrow(
      /root certificate/,
    );
  });

  it('is rejected with a changed signature', () => {
    expect(() => verifyNitroDocument(changed(PRODUCTION, -1), MADE_AT)).toThrow(/signature/);
  });

  it('is rejected with a changed register', () => {
    const at = PRODUCTION.indexOf(Buffer.from(PCR_0, 'hex'));
    expect(() => verifyNitroDocument(changed(PRODUCTION, at), MADE_AT)).toThrow(/signature/);
  });

  it('is rejected or malformed whichever byte is changed', () => {
    for (let at = 0; at < PRODUCTION.length; at += 37) {
      expect(() => verifyNitroDocument(changed(PRODUCTION, at), MADE_AT)).toThrow(
        expect.objectContaining({ code: expect.stringMatching(/^evidence_/) }),
      );
    }
  });

  it('is malformed when it is cut, longer or too long', () => {
    const longer = Buffer.concat([PRODUCTION, Buffer.alloc(1)]);
    for (const bytes of [PRODUCTION.subarray(0, -1), longer, Buffer.alloc(40_000)]) {
      expect(() => verifyNitroDocument(bytes, MADE_AT)).toThrow(
        expect.objectContaining({ code: 'evidence_malformed' }),
      );
    }
  });

  it('is rejected as evidence of another nonce', () => {
    const document = PRODUCTION.toString('base64');
    const evidence = { type: 'aws_nitro', log: BINDING.log, document } as const;
    expect(() => appraise(evidence, BINDING, NO_REFERENCES, MADE_AT)).toThrow(/another nonce/);
  });
});
