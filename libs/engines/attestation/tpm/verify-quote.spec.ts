import { describe, expect, it } from '@jest/globals';
import { appraise, NO_REFERENCES } from '../appraisal.js';
import { binding, BINDING } from '../binding.fixture.js';
import { quoteBytes, SoftTpm } from './quote.fixture.js';
import { parseQuote } from './tpms-attest.js';
import { akSha256Of } from './verify-quote.js';

/** A quote of swtpm 0.7.1 over PCR 0, 2 and 7 after a reset, with the qualifying data 00112233. */
const SWTPM_QUOTE =
  'ff54434780180022000b3e1ebe43f8f4e58e5c0b424272a4d82095cb5ca7d747bd36b5a8aff4df7f' +
  'c65500040011223300000000000004c3000000010000000001201910230016363600000001000b03' +
  '85000000202ea9ab9198d1638007400cd2c3bef1cc745b864b76011a0e1bc52180ac6452d4';

const PCRS = { pcr_0: '00'.repeat(32), pcr_2: '11'.repeat(32), pcr_7: '22'.repeat(32) };
const NOW = 1_795_000_000_000;

describe('a TPM quote', () => {
  it('of swtpm is read to the last byte', () => {
    expect(parseQuote(Buffer.from(SWTPM_QUOTE, 'hex'))).toMatchObject({
      extraData: Buffer.from('00112233', 'hex'),
      clock: 0x4c3n,
      resetCount: 1,
      restartCount: 0,
      safe: true,
      selections: [{ algorithm: 11, registers: [0, 2, 7] }],
      pcrDigest: Buffer.from(
        '2ea9ab9198d1638007400cd2c3bef1cc745b864b76011a0e1bc52180ac6452d4',
        'hex',
      ),
    });
  });

  it.each([
    ['that no TPM generated', quoteBytes({ magic: 'ff544348' })],
    ['of another type', quoteBytes({ type: '8017' })],
    ['with bytes after its end', quoteBytes({ tail: '00' })],
    ['that is cut', quoteBytes().subarray(0, -1)],
    ['that is empty', Buffer.alloc(0)],
  ])('%s is malformed', (_what, bytes) => {
    expect(() => parseQuote(bytes)).toThrow(
      expect.objectContaining({ code: 'evidence_malformed' }),
    );
  });

  it('is attested with a known key and expected registers', () => {
    const evidence = new SoftTpm().evidence(BINDING, PCRS);
    const references = { ...NO_REFERENCES, tpm2: [{ ak_sha256: akSha256Of(evidence), ...PCRS }] };
    expect(appraise(evidence, BINDING, references, NOW)).toMatchObject({
      status: 'attested',
      hardwareRootOfTrust: 'tpm2',
      pcrs: PCRS,
      reason: null,
    });
  });

  it('is not attested with a key that is not known, or other registers', () => {
    const evidence = new SoftTpm().evidence(BINDING, PCRS);
    const other = { ak_sha256: akSha256Of(evidence), ...PCRS, pcr_7: '33'.repeat(32) };
    for (const tpm2 of [[], [other]]) {
      const appraisal = appraise(evidence, BINDING, { ...NO_REFERENCES, tpm2 }, NOW);
      expect(appraisal).toMatchObject({ status: 'not_attested' });
    }
  });

  it.each([
    ['another nonce', { nonce: 'another-nonce' }],
    ['another room', { cleanroomUuid: 'another' }],
    ['another enclave key', { enclaveKeySpki: 'AAAA' }],
    ['another log', { log: [{ ...BINDING.log[0], name: 'other' }] as typeof BINDING.log }],
  ])('is rejected for %s', (_what, change) => {
    const evidence = new SoftTpm().evidence(BINDING, PCRS);
    expect(() => appraise(evidence, binding(change), NO_REFERENCES, NOW)).toThrow(
      /bound to another/,
    );
  });

  it('is rejected where the registers are not the quoted ones', () => {
    const evidence = {
      ...new SoftTpm().evidence(BINDING, PCRS),
      pcrs: { ...PCRS, pcr_0: PCRS.pcr_2 },
    };
    expect(() => appraise(evidence, BINDING, NO_REFERENCES, NOW)).toThrow(/quoted digest/);
  });

  it('is rejected over other registers', () => {
    const evidence = new SoftTpm().evidence(BINDING, PCRS, { selection: '800000' });
    expect(() => appraise(evidence, BINDING, NO_REFERENCES, NOW)).toThrow(/other registers/);
  });

  it('is rejected when another key has signed', () => {
    const evidence = {
      ...new SoftTpm().evidence(BINDING, PCRS),
      ak_pem: new SoftTpm().evidence(BINDING, PCRS).ak_pem,
    };
    expect(() => appraise(evidence, BINDING, NO_REFERENCES, NOW)).toThrow(/signature of the quote/);
  });
});
