import { hash } from 'node:crypto';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type LedgerEntry } from '#platform/ledger/hold.js';
import { type PaidOrder } from '#platform/ledger/paid-work/paid-order.js';
import { cutOf, RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { type RegisteredKey } from '#projections/proofs/proof-keys.projection.js';
import { readClaims, readKey, type SentClaim } from './claims.js';
import { type AdmittedProofs, ProofAdmission } from './proof-admission.js';
import { ProofKeyBook } from './proof-key-book.js';
import { ProofRunner } from './proof-runner.js';
import { reject, UnreadableProofError } from './proofs.errors.js';
import { type ProofsEnd, type ProofsTask } from './proofs.engine.js';

export interface VerificationOrder extends Omit<PaidOrder, 'signal'> {
  readonly keyId: string;
  readonly claims: readonly SentClaim[];
}

export interface VerificationAnswer {
  readonly key: RegisteredKey;
  /** The hash of key, proofs and signals: the same proof has the same id. */
  readonly claimsSha256: string;
  readonly end: Extract<ProofsEnd, { readonly kind: 'verify' }>;
  readonly entry: LedgerEntry;
}

/** Verifies proofs under one registered key. */
export class VerifyProofsCommand extends Command<VerificationAnswer> {
  constructor(
    readonly order: VerificationOrder,
    /** Aborted with a `RequestCutError` when this process stops or the request takes too long. */
    readonly signal: AbortSignal,
  ) {
    super();
  }
}

type Verification = Extract<ProofsTask, { readonly kind: 'verify' }>;

@CommandHandler(VerifyProofsCommand)
export class VerifyProofsHandler implements ICommandHandler<VerifyProofsCommand> {
  constructor(
    private readonly keys: ProofKeyBook,
    private readonly admission: ProofAdmission,
    private readonly runner: ProofRunner,
  ) {}

  /** @throws DomainError, ProofsFailureError, RequestCutError */
  async execute({ order, signal }: VerifyProofsCommand): Promise<VerificationAnswer> {
    const { keyId, claims: sent, ...paid } = order;
    const key = await this.keys.inForce(keyId);
    const claims = readClaims(sent);
    if (key.scheme !== 'groth16' && claims.length > 1) {
      reject(
        'proof_batch_not_groth16',
        `proofs: expected 1 of ${key.scheme}, received ${claims.length}`,
      );
    }
    const claimsSha256 = hash('sha256', JSON.stringify([key.sha256, claims]));
    const { sha256: keySha256, scheme } = key;
    const asked = { keyId, keySha256, scheme, proofs: claims.length, claimsSha256 };
    const admitted = await this.admission.admit({ ...paid, signal, asked });
    const task: Verification = {
      kind: 'verify',
      key: readKey(JSON.parse(key.keyJson)),
      claims: [...claims],
    };
    const end = await this.#run(order.accountId, task, admitted, signal);
    const outcome = end.verified.every(Boolean) ? 'verified' : 'not_verified';
    const entry = await admitted.capture(end.pairings, outcome);
    return { key, claimsSha256, end, entry };
  }

  /** A proof that was read and rejected costs a pairing for each proof; a failure is free. */
  async #run(
    accountId: string,
    task: Verification,
    admitted: AdmittedProofs,
    signal: AbortSignal,
  ): Promise<VerificationAnswer['end']> {
    try {
      const end = await this.runner.run(accountId, task, signal);
      if (end) return end;
      throw cutOf(signal) ?? new RequestCutError('shut_down');
    } catch (error) {
      if (error instanceof UnreadableProofError) {
        await admitted.capture(task.claims.length, 'rejected');
      } else await admitted.release(reasonOf(error));
      throw error;
    }
  }
}

const reasonOf = (error: unknown) => {
  if (error instanceof RequestCutError) return error.reason;
  return error instanceof DomainError ? 'refused' : 'upstream_failed';
};
