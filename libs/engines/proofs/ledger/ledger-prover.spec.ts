import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runProofsTask } from '../verify-claims.js';
import { LedgerProver, proverFilesOf } from './ledger-prover.js';
import { type LedgerTask } from './ledger-prover.protocol.js';

const SHIPPED = fileURLToPath(new URL('../../../../models', import.meta.url));
const TASK: LedgerTask = {
  leaves: [
    { account: '5', balance: '100', salt: '7' },
    { account: '6', balance: '50', salt: '8' },
  ],
  before: { root: '0', total: '0' },
  position: '42',
};

describe('the prover of the ledger', () => {
  const never = new AbortController().signal;
  const prover = new LedgerProver(proverFilesOf('/', [SHIPPED]));
  let home: string;

  beforeAll(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'quipu-prover-'));
  });

  afterAll(async () => {
    await prover.close();
    await rm(home, { recursive: true });
  });

  it('makes a proof that verifies under the key beside the proving key', async () => {
    const { proof, signals, key } = await prover.prove(TASK, never);
    expect(signals.slice(1)).toEqual(['150', '0', '0', '42']);
    const verdictOf = (shown: string[]) =>
      runProofsTask({ kind: 'verify', key, claims: [{ proof, signals: shown }] });
    expect(verdictOf(signals)).toMatchObject({ verified: [true] });
    expect(verdictOf(signals.with(1, '151'))).toMatchObject({ verified: [false] });
    expect(verdictOf(signals.with(4, '43'))).toMatchObject({ verified: [false] });
  });

  it('makes none of a false statement', async () => {
    const leaves = [{ account: '5', balance: String(2n ** 64n), salt: '7' }];
    await expect(prover.prove({ ...TASK, leaves }, never)).rejects.toMatchObject({
      code: 'statement_false',
    });
  });

  it('stops with its caller', async () => {
    const leaving = new AbortController();
    const proving = prover.prove(TASK, leaving.signal);
    leaving.abort(new Error('left'));
    await expect(proving).rejects.toThrow('left');
  });

  it('says what a machine lacks', async () => {
    const lacking = new LedgerProver(proverFilesOf(home, [home]));
    expect(lacking.missing).toBe('no model folder has ledger-proof/proving.zkey');
    await expect(lacking.prove(TASK, never)).rejects.toMatchObject({ code: 'prover_missing' });
  });
});
