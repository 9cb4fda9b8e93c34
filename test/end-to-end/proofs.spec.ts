import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { CommandLine } from './command-line.fixture.js';
import { eventually, scriptedCatalog, startWorld, type World } from './quipu.harness.js';

type Body = Readonly<Record<string, unknown>>;
interface Claim {
  readonly proof: Body;
  readonly signals: readonly string[];
}

const { groups } = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../oracles/proofs/vectors.json'), 'utf8'),
) as {
  readonly groups: readonly {
    readonly scheme: string;
    readonly curve: string;
    readonly key: object;
    readonly claims: readonly Claim[];
  }[];
};
const groupOf = (scheme: string, curve: string) => {
  const found = groups.find((one) => one.scheme === scheme && one.curve === curve);
  if (!found) throw new Error(`the record has no ${scheme} on ${curve}`);
  return found;
};
const sent = ({ proof, signals }: Claim) => ({ proof, public_signals: signals });
const GROTH16 = groupOf('groth16', 'bn128');
const [FIRST, SECOND] = GROTH16.claims.map(sent);

const catalogOf = (baseUrl: string): string => `${scriptedCatalog(baseUrl)}
meters:
  - { meter: proof_pairings, usd: 0.05, per: 1000000 }
  - { meter: custody_bundles, usd: 0.001, per: 1 }
  - { meter: custody_byte_hours, usd: 0.01, per: 1000000000 }
`;

describe('proofs', () => {
  let world: World;
  const quipu = new CommandLine(() => world);

  beforeAll(async () => {
    world = await startWorld([], { catalogOf });
    await quipu.result('account', 'credit', '--user', 'demo', '--usd', '100', '--reason', 'spec');
  });

  afterAll(() => world.close());

  const authorized = () => ({ authorization: `Bearer ${world.credentials.api_key}` });
  const post = (route: string, body: object) =>
    request(world.quipu.url).post(`/api/v1/zk_proofs/${route}`).set(authorized()).send(body);
  const verify = (body: object) => post('verify', { key_id: 'square', ...body });

  it('verify under a key that an Admin has registered', async () => {
    await verify({ ...FIRST }).expect(404);
    const key = { key_id: 'square', source: 'snarkjs', verification_key: GROTH16.key };
    const { body: registered } = await post('keys', key).expect(200);
    expect(registered).toMatchObject({ key: { scheme: 'groth16', curve: 'bn128', inputs: 2 } });
    const { body, headers } = await verify({ ...FIRST }).expect(200);
    expect(body).toEqual({
      verified: true,
      proof_id: expect.stringMatching(/^[0-9a-f]{64}$/),
      prover_scheme: 'groth16',
      verification_time_ms: expect.any(Number),
      results: [true],
      pairings: 4,
      key_id: 'square',
      key_source: 'snarkjs',
      curve: 'bn128',
    });
    expect(headers['x-quipu-cost-usd']).toBe('0.000001');
  });

  it('are false without an error', async () => {
    const swapped = { ...FIRST, public_signals: SECOND?.public_signals };
    expect((await verify(swapped).expect(200)).body).toMatchObject({ verified: false });
    const { body } = await verify({ proofs: [FIRST, swapped] }).expect(200);
    expect(body).toMatchObject({ verified: false, results: [true, false], pairings: 13 });
  });

  it('are rejected by the name of the fault and of the field', async () => {
    const infinite = { ...FIRST, proof: { ...FIRST?.proof, pi_a: ['0', '1', '0'] } };
    const { body } = await verify(infinite).expect(422);
    expect(JSON.stringify(body)).toMatch(/proof\.pi_a: expected a point.*proof_point_at_infinity/);
    const { body: malformed } = await verify({ proof: {} }).expect(400);
    expect(JSON.stringify(malformed)).toMatch(/proof_malformed/);
    await verify({ proof: 'text' }).expect(400);
    await verify({ ...FIRST, proofs: [FIRST] }).expect(400);
  });

  it('have keys that the command line manages', async () => {
    const file = path.join(world.home, 'plonk.json');
    await writeFile(file, JSON.stringify(groupOf('plonk', 'bls12381').key));
    const options = ['--id', 'plonk', '--source', 'snarkjs'];
    expect(await quipu.result('proof-key', 'register', file, ...options)).toMatchObject({
      key_id: 'plonk',
      scheme: 'plonk',
      curve: 'bls12381',
    });
    const [claim] = groupOf('plonk', 'bls12381').claims.map(sent);
    const { body } = await post('verify', { key_id: 'plonk', ...claim }).expect(200);
    expect(body).toMatchObject({ verified: true, prover_scheme: 'plonk', pairings: 2 });
    await quipu.result('proof-key', 'retire', 'plonk', '--yes');
    await post('verify', { key_id: 'plonk', ...claim }).expect(409);
    const { keys } = (await quipu.result('proof-key', 'list')) as { readonly keys: Body[] };
    expect(keys.map((one) => one['key_id'])).toEqual(['ledger-balances-16', 'plonk', 'square']);
  });

  it('have no key with a point outside of its group', async () => {
    const verificationKey = { ...GROTH16.key, vk_alpha_1: ['1', '3', '1'] };
    const key = { key_id: 'off', source: 'spec', verification_key: verificationKey };
    const { body } = await post('keys', key).expect(400);
    expect(JSON.stringify(body)).toMatch(/key\.vk_alpha_1.*proof_key_invalid/);
  });

  describe('of the ledger', () => {
    const snapshot = async (query = {}) => {
      const { status, body } = await request(world.quipu.url)
        .get('/api/v1/space/zk_snapshot.php')
        .query(query)
        .set(authorized());
      return { status, body: body as Body };
    };

    it('hold for snarkjs and for the route that verifies', async () => {
      await eventually(async () => (await snapshot()).status === 200);
      const { body } = await snapshot();
      expect(body).toMatchObject({
        statement: 'ledger_balances',
        key_id: 'ledger-balances-16',
        key_source: 'dev-ceremony',
        leaves_per_proof: 16,
        unit: 'micro_usd',
        own: [{ proof: 0, leaf: expect.any(Number), amount: expect.any(String) }],
      });
      const proofs = body['proofs'] as readonly ReturnType<typeof sent>[];
      const [last] = proofs.slice(-1);
      expect(last?.public_signals.slice(0, 2)).toEqual([body['root'], body['total']]);
      expect(last?.public_signals[4]).toBe(body['log_position']);
      const { body: verified } = await post('verify', {
        key_id: body['key_id'],
        proofs,
      }).expect(200);
      expect(verified).toMatchObject({ verified: true });
      expect(await isTrueForSnarkjs(world.home, proofs[0])).toBe(true);
      const changed = proofs.map((one) => ({
        ...one,
        public_signals: one.public_signals.map((signal, n) => (n === 4 ? `${signal}0` : signal)),
      }));
      expect(await isTrueForSnarkjs(world.home, changed[0])).toBe(false);
    });

    it('are also of the bundles in custody', async () => {
      const query = { statement: 'orbital_bundles' };
      const ends = { source_eid: 'dtn://quipu/out', destination_eid: 'dtn://moon/in' };
      await request(world.quipu.url)
        .post('/api/v1/dtn/bundle.php')
        .set(authorized())
        .send({ ...ends, payload_hex: '68656c6c6f' })
        .expect(200);
      // The checkpoint with the bundle.
      await eventually(async () => {
        const { status, body } = await snapshot(query);
        return status === 200 && body['statement'] === 'orbital_bundles';
      });
      const { body } = await snapshot(query);
      expect(body).toMatchObject({ unit: 'bytes', key_id: 'ledger-balances-16' });
      const [proof] = body['proofs'] as readonly ReturnType<typeof sent>[];
      expect(proof?.public_signals.slice(1)).toEqual([
        body['total'],
        '1',
        '0',
        body['log_position'],
      ]);
      await snapshot({ statement: 'anything' }).then(({ status }) => {
        expect(status).toBe(400);
      });
    });
  });
});

const isTrueForSnarkjs = async (
  folder: string,
  claim: ReturnType<typeof sent> | undefined,
): Promise<boolean> => {
  const [proof, signals] = ['proof.json', 'public.json'].map((name) => path.join(folder, name));
  await writeFile(proof ?? '', JSON.stringify(claim?.proof));
  await writeFile(signals ?? '', JSON.stringify(claim?.public_signals));
  const snarkjs = path.join(
    path.dirname(findPackageJSON('snarkjs', import.meta.url) ?? ''),
    'build/cli.cjs',
  );
  const key = path.join(import.meta.dirname, '../../models/ledger-proof/verification-key.json');
  try {
    const files = [key, signals ?? '', proof ?? ''];
    execFileSync(process.execPath, [snarkjs, 'groth16', 'verify', ...files], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
};
