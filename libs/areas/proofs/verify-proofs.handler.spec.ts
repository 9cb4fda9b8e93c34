import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from '@jest/globals';
import { ProofsEngine } from '#engines/proofs/proofs.engine.js';
import { type Clock } from '#platform/kernel/clock.js';
import { FakeLedger } from '#platform/ledger/ledger.fake.js';
import { type MeterPrices } from '#platform/ledger/meter-prices.port.js';
import { PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { paidWorkContract } from '#platform/ledger/paid-work/paid-work.contract.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { TaskError } from '#platform/tasks/task.error.js';
import { type Tasks } from '#platform/tasks/tasks.port.js';
import { type RegisteredKey } from '#projections/proofs/proof-keys.projection.js';
import { readKey } from './claims.js';
import { ProofAdmission } from './proof-admission.js';
import { ProofKeyBook } from './proof-key-book.js';
import { REQUEST_MS_MAX, ProofRunner } from './proof-runner.js';
import { type ProofsEnd, proofsEngine, type ProofsTask } from './proofs.engine.js';
import { VerifyProofsCommand, VerifyProofsHandler } from './verify-proofs.handler.js';

interface SentProof {
  readonly proof: Readonly<Record<string, unknown>>;
  readonly signals: readonly string[];
}

/** Of snarkjs: `test/oracles/proofs/record.mjs`. */
const record = new URL('../../../test/oracles/proofs/vectors.json', import.meta.url);
const { groups } = JSON.parse(readFileSync(record, 'utf8')) as {
  readonly groups: readonly {
    readonly scheme: 'groth16' | 'plonk';
    readonly curve: string;
    readonly key: unknown;
    readonly claims: readonly SentProof[];
  }[];
};

const keyOf = (scheme: 'groth16' | 'plonk'): RegisteredKey => ({
  keyId: scheme,
  keyJson: JSON.stringify(readKey(groupOf(scheme).key)),
  sha256: '0'.repeat(64),
  scheme,
  curve: 'bn128',
  inputs: 2,
  source: 'snarkjs',
  registeredAt: '2026-11-25T19:00:00.000Z',
  retiredAt: null,
});
const groupOf = (scheme: 'groth16' | 'plonk') => {
  const found = groups.find((one) => one.scheme === scheme && one.curve === 'bn128');
  if (!found) throw new Error(`the record has no ${scheme}`);
  return found;
};
const claimsOf = (scheme: 'groth16' | 'plonk') =>
  groupOf(scheme).claims.map(({ proof, signals }) => ({ proof, publicSignals: signals }));
const [FIRST = { proof: {}, publicSignals: [] }, SECOND = FIRST] = claimsOf('groth16');

const KEYS: Readonly<Record<string, RegisteredKey>> = {
  groth16: keyOf('groth16'),
  plonk: keyOf('plonk'),
  retired: { ...keyOf('groth16'), retiredAt: '2026-11-26T19:00:00.000Z' },
};
const book = new ProofKeyBook({
  get: (_projection: unknown, key: string) =>
    Promise.resolve({ document: { key: KEYS[key] ?? null }, position: 1n }),
} as never);

const PRICES: MeterPrices = {
  inForce: () => ({
    rateCardVersion: 3,
    prices: new Map([['proof_pairings', { unitPriceMicroUsd: '50', perUnits: 1 }]]),
  }),
};
const REQUEST = '0198c2f1-7a3b-7c5d-8e9f-0a1b2c3d4e5f';

type Work = (task: ProofsTask, signal: AbortSignal) => Promise<ProofsEnd>;

const handlerOn = (paid: PaidRequests, clock: Clock, work: Work, prices = PRICES) => {
  const tasks = {
    async *run(_engine: unknown, task: ProofsTask, signal: AbortSignal) {
      try {
        return await work(task, signal);
      } catch (error) {
        const { code, message } = error as Error & { readonly code: string };
        throw code in proofsEngine.failures ? new TaskError(code, message) : error;
      }
    },
  } as unknown as Tasks;
  const admission = new ProofAdmission(paid, prices, clock);
  return new VerifyProofsHandler(book, admission, new ProofRunner(tasks));
};

const engine = new ProofsEngine();
afterAll(() => engine.close());

/** A handler on the real engine, or on one that ends in this way. */
const openHandler = (work: Work = (task, signal) => engine.run(task, signal), prices = PRICES) => {
  const ledger = new FakeLedger();
  const clock = { now: () => 1_000 };
  const paid = new PaidRequests(ledger, { settleMsMax: 60_000 }, clock);
  const handler = handlerOn(paid, clock, work, prices);
  const verify = (claims: readonly object[], keyId = 'groth16') => {
    const order = {
      accountId: 'user-1',
      receivedAtMs: 900,
      keyId,
      claims: claims as readonly { proof: unknown; publicSignals: unknown }[],
      context: contextOf(REQUEST, 'user:1'),
    };
    return handler.execute(new VerifyProofsCommand(order, new AbortController().signal));
  };
  return { verify, ledger };
};

paidWorkContract('proofs', {
  requestMsMax: REQUEST_MS_MAX,
  open: (paid, clock, work) => {
    const handler = handlerOn(paid, clock, async () => {
      await Promise.resolve();
      work();
      return { kind: 'verify', verified: [true], pairings: 4, elapsedMs: 1 };
    });
    return Promise.resolve((order, signal) =>
      handler.execute(
        new VerifyProofsCommand({ ...order, keyId: 'groth16', claims: [FIRST] }, signal),
      ),
    );
  },
});

describe('a verification', () => {
  it('is charged by its pairings, with the hash of the claims as evidence', async () => {
    const { verify, ledger } = openHandler();
    const answer = await verify([FIRST]);
    expect(answer.end.verified).toEqual([true]);
    expect(ledger.captured).toMatchObject({
      lines: [{ meter: 'proof_pairings', quantity: 4 }],
      evidence: {
        keyId: 'groth16',
        scheme: 'groth16',
        proofs: 1,
        claimsSha256: answer.claimsSha256,
        outcome: 'verified',
      },
    });
    expect(await verify([FIRST])).toMatchObject({ claimsSha256: answer.claimsSha256 });
  });

  it('says false where the proof does not hold, and is charged', async () => {
    const { verify, ledger } = openHandler();
    const swapped = { ...FIRST, publicSignals: SECOND.publicSignals };
    expect(await verify([swapped])).toMatchObject({ end: { verified: [false] } });
    expect(ledger.captured.evidence).toMatchObject({ outcome: 'not_verified' });
  });

  it('takes fewer pairings for proofs together', async () => {
    const { verify, ledger } = openHandler();
    await verify(claimsOf('groth16'));
    expect(ledger.captured.lines).toMatchObject([{ quantity: 6 }]);
  });

  it.each([
    ['proof_input_out_of_field', { publicSignals: ['9'.repeat(77), '1'] }],
    ['proof_input_count_wrong', { publicSignals: ['1'] }],
    ['proof_point_at_infinity', { proof: { ...FIRST.proof, pi_a: ['0', '1', '0'] } }],
  ])('is charged for a reading that ends with %s', async (code, changes) => {
    const { verify, ledger } = openHandler();
    await expect(verify([{ ...FIRST, ...changes }])).rejects.toMatchObject({ code });
    expect(ledger.calls).toEqual(['place', 'capture completed']);
    expect(ledger.captured).toMatchObject({
      lines: [{ quantity: 1 }],
      evidence: { outcome: 'rejected' },
    });
  });

  it.each([
    ['proof_key_not_found', 'absent', [FIRST]],
    ['proof_key_retired', 'retired', [FIRST]],
    ['proof_malformed', 'groth16', [{}]],
    ['proof_malformed', 'groth16', [{ ...FIRST, publicSignals: ['01'] }]],
    ['proof_malformed', 'groth16', [{ ...FIRST, publicSignals: [1] }]],
    ['proof_malformed', 'groth16', [{ ...FIRST, proof: { ...FIRST.proof, extra: '1' } }]],
    ['proof_malformed', 'groth16', []],
    ['proof_malformed', 'groth16', Array.from({ length: 101 }, () => FIRST)],
    ['proof_batch_not_groth16', 'plonk', claimsOf('plonk')],
  ])('is rejected with %s before anything is held', async (code, keyId, claims) => {
    const { verify, ledger } = openHandler();
    await expect(verify(claims, keyId)).rejects.toMatchObject({ code });
    expect(ledger.calls).toEqual([]);
  });

  it('names the field of a proof that is malformed', async () => {
    const { verify } = openHandler();
    const wrong = { ...SECOND, proof: { ...SECOND.proof, pi_a: ['0x1', '2', '1'] } };
    await expect(verify([FIRST, wrong])).rejects.toMatchObject({
      detail: expect.stringMatching(/^proofs\[1\]\.proof\.pi_a\[0\]: /),
    });
  });

  it.each([
    ['busy', 'busy'],
    ['no_worker', 'away'],
    ['crashed', 'failed'],
  ])('is free where the engine fails with %s', async (code, kind) => {
    const { verify, ledger } = openHandler(() => Promise.reject(new TaskError(code, 'why')));
    await expect(verify([FIRST])).rejects.toMatchObject({ name: 'ProofsFailureError', kind });
    expect(ledger.calls).toEqual(['place', 'release upstream_failed']);
  });

  it('is not sold without a price', async () => {
    const { verify, ledger } = openHandler(undefined, { inForce: () => undefined });
    await expect(verify([FIRST])).rejects.toMatchObject({ code: 'proof_not_priced' });
    expect(ledger.calls).toEqual([]);
  });
});
