/**
 * Verified proofs beside snarkjs on the same files: `npm run proofs`. CPU time of all threads
 * counts, since the machine may be shared and snarkjs has threads of its own; the median.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Claim, SnarkjsKey } from '../../libs/engines/proofs/proofs.protocol.js';
import { runProofsTask } from '../../libs/engines/proofs/verify-claims.js';

type Verify = (key: object, signals: readonly string[], proof: object) => Promise<boolean>;
interface Group {
  readonly scheme: 'groth16' | 'plonk';
  readonly curve: string;
  readonly key: object;
  readonly claims: readonly Claim[];
}

const BATCH = 100;
/** The compiler of V8 needs some of them. */
const WARM_UP = 20;
const RUNS = 15;
const BATCH_RUNS = 3;
/** It ships no types. */
const SNARKJS: string = 'snarkjs';

const medianMs = async (runs: number, run: () => unknown): Promise<number> => {
  const times: number[] = [];
  for (let n = 0; n < runs; n += 1) {
    const since = process.cpuUsage();
    if ((await run()) === false) throw new Error('a proof of the record does not hold');
    const { user, system } = process.cpuUsage(since);
    times.push((user + system) / 1_000);
  }
  return times.sort((one, other) => one - other)[Math.floor(runs / 2)] ?? NaN;
};

const record = path.resolve('test/oracles/proofs/vectors.json');
const { groups } = JSON.parse(readFileSync(record, 'utf8')) as { readonly groups: Group[] };
const snarkjs = (await import(SNARKJS)) as Record<Group['scheme'], { readonly verify: Verify }>;

for (const { scheme, curve, key: written, claims } of groups) {
  const key = SnarkjsKey.parse(written);
  const [claim] = claims;
  if (!claim) throw new Error('the record has proofs of each scheme');
  const ours = (count: number) => () => {
    const many = Array.from({ length: count }, (_, n) => claims[n % claims.length] ?? claim);
    const end = runProofsTask({ kind: 'verify', key, claims: many });
    return end.kind === 'verify' && end.verified.every(Boolean);
  };
  const theirs = () => snarkjs[scheme].verify(written, claim.signals, claim.proof);
  await medianMs(WARM_UP, ours(1));
  await medianMs(WARM_UP, theirs);
  const [one, other] = [await medianMs(RUNS, ours(1)), await medianMs(RUNS, theirs)];
  const times = (value: number): string => `${value.toFixed(1)} ms, ${(value / other).toFixed(2)}x`;
  console.log(`${scheme} on ${curve}: snarkjs ${other.toFixed(1)} ms; Quipu ${times(one)}`);
  if (scheme !== 'groth16') continue;
  const each = (await medianMs(BATCH_RUNS, ours(BATCH))) / BATCH;
  console.log(`${scheme} on ${curve}: Quipu, each of ${BATCH} together: ${times(each)}`);
}
// Snarkjs keeps its threads.
process.exit();
