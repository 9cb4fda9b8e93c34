import { LRUCache } from 'lru-cache';
import { Groth16Verifier } from './groth16.js';
import { type PairingCurve } from './pairing-curve.js';
import { PlonkVerifier } from './plonk.js';
import { reject } from './proofs.errors.js';
import {
  type Claim,
  PAIRINGS,
  type ProofKey,
  type ProofsEnd,
  type ProofsTask,
} from './proofs.protocol.js';

/** Keys whose points were checked and prepared; 0.3 MB each. */
const KEYS_MAX = 32;

type Verifier = Groth16Verifier | PlonkVerifier;

const known = new LRUCache<string, Verifier>({ max: KEYS_MAX });

const verifierOf = (key: ProofKey): Verifier => {
  const name = JSON.stringify(key);
  const verifier =
    known.get(name) ??
    (key.protocol === 'groth16' ? new Groth16Verifier(key) : new PlonkVerifier(key));
  known.set(name, verifier);
  return verifier;
};

/** @throws ProofsError */
export const runProofsTask = (task: ProofsTask): ProofsEnd => {
  const startedAt = performance.now();
  const verifier = verifierOf(task.key);
  switch (task.kind) {
    case 'check_key':
      return { kind: 'check_key' };
    case 'verify': {
      const { verified, pairings } = verify(verifier, task);
      const elapsedMs = performance.now() - startedAt;
      return { kind: 'verify', verified: [...verified], pairings, elapsedMs };
    }
  }
};

const verify = (
  verifier: Verifier,
  { key, claims }: Extract<ProofsTask, { readonly kind: 'verify' }>,
): ReturnType<Groth16Verifier['verify']> => {
  const read = claims.map((claim, n) => {
    const path = claims.length === 1 ? 'proof' : `proofs[${n}].proof`;
    const signalsPath = path.replace(/proof$/, 'public_signals');
    return { ...claim, path, signals: signalsOf(verifier.curve, key, claim, signalsPath) };
  });
  if (verifier instanceof Groth16Verifier) {
    return verifier.verify(
      read.map(({ proof, signals, path }) =>
        proof.protocol === 'groth16'
          ? verifier.read(demandCurve(proof, key, path), signals, path)
          : rejectScheme(proof.protocol, key, path),
      ),
    );
  }
  const verified = read.map(({ proof, signals, path }) =>
    proof.protocol === 'plonk'
      ? verifier.isTrue(verifier.read(demandCurve(proof, key, path), signals, path))
      : rejectScheme(proof.protocol, key, path),
  );
  return { verified, pairings: PAIRINGS.plonk * claims.length };
};

const demandCurve = <Proof extends Claim['proof']>(
  proof: Proof,
  { curve }: ProofKey,
  path: string,
): Proof => {
  if (proof.curve === undefined || proof.curve === curve) return proof;
  const problem = `expected ${curve}, received ${proof.curve}`;
  return reject('scheme_mismatch', `${path}.curve`, problem);
};

const rejectScheme = (received: string, { protocol }: ProofKey, path: string): never =>
  reject('scheme_mismatch', `${path}.protocol`, `expected ${protocol}, received ${received}`);

const signalsOf = (
  { scalars }: PairingCurve,
  { nPublic }: ProofKey,
  { signals }: Claim,
  path: string,
): readonly bigint[] => {
  if (signals.length !== nPublic) {
    const problem = `expected ${nPublic} numbers, received ${signals.length}`;
    return reject('input_count_wrong', path, problem);
  }
  return signals.map((text, n) => {
    const value = BigInt(text);
    if (value < scalars.ORDER) return value;
    const problem = `expected a number below ${scalars.ORDER}`;
    return reject('input_out_of_field', `${path}[${n}]`, problem);
  });
};
