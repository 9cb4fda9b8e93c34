import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { CompactSign } from 'jose';
import { describe, expect, it } from '@jest/globals';
import { appraise, NO_REFERENCES } from './appraisal.js';
import { SoftwareAttester } from './attester.js';
import { BINDING } from './binding.fixture.js';
import { replay } from './measurements.js';
import { claimsOf, type ReceiptClaims, signReceipt, verifyReceipt } from './receipt.js';

const NOW = 1_795_000_000_000;
const { privateKey } = generateKeyPairSync('ed25519');
const SIGNER = createPublicKey(privateKey);

const claims = async (): Promise<ReceiptClaims> => {
  const evidence = await new SoftwareAttester().attest(BINDING);
  const appraisal = appraise(evidence, BINDING, NO_REFERENCES, NOW);
  return claimsOf({ issuer: 'quipu', binding: BINDING, evidence, appraisal, atMs: NOW });
};

const receipt = async (change: Partial<ReceiptClaims> = {}): Promise<string> =>
  signReceipt({ ...(await claims()), ...change }, privateKey);

const trust = { references: NO_REFERENCES, nowMs: NOW };

describe('the log of a software attester', () => {
  it('replays to registers that a change of any event changes', () => {
    const [first, ...rest] = BINDING.log;
    if (!first) throw new Error('the log is empty');
    const registers = replay(BINDING.log);
    expect(registers.pcr_0).toMatch(/^[\da-f]{64}$/);
    expect(replay([{ ...first, name: 'other' }, ...rest]).pcr_0).not.toBe(registers.pcr_0);
    expect(replay([first, ...BINDING.log]).pcr_0).not.toBe(registers.pcr_0);
    expect(replay([first])).toMatchObject({ pcr_2: '0'.repeat(64), pcr_7: '0'.repeat(64) });
  });

  it('extends as SHA-256 of register and digest', () => {
    // sha256(0^32 || sha256('["build","f","00…00"]')), by Python's hashlib.
    expect(replay([{ subject: 'build', name: 'f', sha256: '0'.repeat(64) }]).pcr_0).toBe(
      '57584cb23a2151af0627163882d2fc59f39b0a06bcdef4554095d38a109bb5a7',
    );
  });
});

describe('a receipt', () => {
  it('of a software attester is self-reported, and warns', async () => {
    const nonce = BINDING.nonce;
    const verified = await verifyReceipt(await receipt(), { ...trust, nonce, signer: SIGNER });
    expect(verified).toMatchObject({
      isSignerKnown: true,
      isNonceKnown: true,
      appraisal: { status: 'self_reported', hardwareRootOfTrust: 'none' },
      claims: { ear_status: 'warning', tee_type: 'software', exp: NOW / 1e3 + 3_600 },
    });
  });

  it('says whether signer and nonce were compared', async () => {
    const verified = await verifyReceipt(await receipt(), trust);
    expect(verified).toMatchObject({ isSignerKnown: false, isNonceKnown: false });
  });

  it.each([
    ['receipt_signer_unknown', { signer: generateKeyPairSync('ed25519').publicKey }],
    ['receipt_nonce_mismatch', { nonce: 'another-nonce' }],
    ['receipt_expired', { nowMs: NOW + 3_600_000 }],
    ['receipt_not_yet_valid', { nowMs: NOW - 120_000 }],
  ])('fails with %s', async (code, change) => {
    await expect(verifyReceipt(await receipt(), { ...trust, ...change })).rejects.toMatchObject({
      code,
    });
  });

  it.each<[string, Partial<ReceiptClaims>]>([
    ['another status', { attestation_status: 'attested', ear_status: 'affirming' }],
    ['another tier', { ear_status: 'affirming' }],
    ['another type', { tee_type: 'tpm2' }],
    ['a root of trust', { hardware_root_of_trust: 'tpm2' }],
    ['another register', { pcr_measurements: { pcr_0: 'aa', pcr_2: 'aa', pcr_7: 'aa' } }],
  ])('that claims %s is overstated', async (_what, change) => {
    await expect(verifyReceipt(await receipt(change), trust)).rejects.toMatchObject({
      code: 'receipt_overstated',
    });
  });

  it('with a life time of its own choice is expired', async () => {
    await expect(verifyReceipt(await receipt({ exp: 2e9 }), trust)).rejects.toMatchObject({
      code: 'receipt_expired',
    });
  });

  it('whose bytes were changed is invalid', async () => {
    const [header = '', payload = '', signature = ''] = (await receipt()).split('.');
    const other = payload.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
    const changed = [header, other, signature].join('.');
    await expect(verifyReceipt(changed, trust)).rejects.toMatchObject({
      code: 'receipt_signature_invalid',
    });
  });

  it.each([
    ['no JWS', () => Promise.resolve('receipt')],
    ['without a key', () => signed({ alg: 'EdDSA' }, '{}')],
    ['of another type', () => signed({ alg: 'EdDSA', typ: 'JWT', jwk: jwk() }, '{}')],
    ['that is not JSON', () => signed({ alg: 'EdDSA', typ: 'eat+jwt', jwk: jwk() }, 'x')],
    ['without claims', () => signed({ alg: 'EdDSA', typ: 'eat+jwt', jwk: jwk() }, '{}')],
  ])('%s is malformed', async (_what, make) => {
    await expect(verifyReceipt(await make(), trust)).rejects.toMatchObject({
      code: 'receipt_malformed',
    });
  });
});

const jwk = () => SIGNER.export({ format: 'jwk' });

const signed = (
  header: Parameters<CompactSign['setProtectedHeader']>[0],
  payload: string,
): Promise<string> =>
  new CompactSign(Buffer.from(payload))
    .setProtectedHeader(header)
    .sign(createPrivateKey(privateKey.export({ format: 'pem', type: 'pkcs8' })));
