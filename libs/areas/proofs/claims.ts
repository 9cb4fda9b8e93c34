import { type z } from 'zod';
import { reject } from './proofs.errors.js';
import {
  BATCH_MAX,
  type Claim,
  Proof,
  type ProofKey,
  PublicSignals,
  SnarkjsKey,
} from './proofs.engine.js';

/** A proof and its public signals as a caller sends them. */
export interface SentClaim {
  readonly proof: unknown;
  readonly publicSignals: unknown;
}

/** The proofs of a request: one with its signals, or several. */
export interface SentProofs extends Partial<SentClaim> {
  readonly proofs?: readonly SentClaim[] | undefined;
}

/** @throws DomainError `proof_malformed` for both forms at once */
export const claimsOf = ({ proof, publicSignals, proofs }: SentProofs): readonly SentClaim[] => {
  if (proofs === undefined) return [{ proof, publicSignals }];
  if (proof === undefined && publicSignals === undefined) return proofs;
  return reject('proof_malformed', 'proofs: expected without proof and public_signals');
};

const problemOf = (error: z.ZodError, field: string): string => {
  const [issue] = error.issues;
  const path = (issue?.path ?? []).map((part) =>
    typeof part === 'number' ? `[${part}]` : `.${String(part)}`,
  );
  return `${field}${path.join('')}: ${issue?.message ?? 'invalid'}`;
};

/** @throws DomainError `proof_key_invalid` */
export const readKey = (sent: unknown): ProofKey => {
  const parsed = SnarkjsKey.safeParse(sent);
  if (parsed.success) return parsed.data;
  return reject('proof_key_invalid', problemOf(parsed.error, 'verification_key'));
};

const parse = <Value>(schema: z.ZodType<Value>, sent: unknown, field: string): Value => {
  const parsed = schema.safeParse(sent);
  if (parsed.success) return parsed.data;
  return reject('proof_malformed', problemOf(parsed.error, field));
};

/** @throws DomainError `proof_malformed` */
export const readClaims = (sent: readonly SentClaim[]): readonly Claim[] => {
  if (sent.length === 0 || sent.length > BATCH_MAX) {
    const problem = `expected 1 to ${BATCH_MAX} proofs, received ${sent.length}`;
    return reject('proof_malformed', `proofs: ${problem}`);
  }
  return sent.map(({ proof, publicSignals }, n) => {
    const at = sent.length === 1 ? '' : `proofs[${n}].`;
    return {
      proof: parse(Proof, proof, `${at}proof`),
      signals: parse(PublicSignals, publicSignals, `${at}public_signals`),
    };
  });
};
