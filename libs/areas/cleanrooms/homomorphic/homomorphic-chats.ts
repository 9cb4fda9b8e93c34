import { hash } from 'node:crypto';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type ChatOrder } from '#platform/chats/chat-order.js';
import { type Clock } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type HoldPace, type LedgerEntry, type Release } from '#platform/ledger/hold.js';
import { MeterPrices } from '#platform/ledger/meter-prices.port.js';
import { type HeldRequest, PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { cutOf } from '#platform/runtime/commands/request-cut.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type CleanroomsErrorCode, reject } from '../cleanrooms.errors.js';
import { CleanroomFailure } from '../cleanrooms.failures.js';
import { RoomTurns, TURNS } from '../enclave/room-turns.js';
import { roomPriceOf } from '../room-prices.js';
import { Rooms } from '../rooms.js';
import { type EvaluationAsked, evaluationAskedOf } from './evaluation-asked.js';
import {
  countsOf,
  type Evaluated,
  type EvaluationKeys,
  HomomorphicEngine,
  HomomorphicError,
  type HomomorphicFailure,
  KEY_BUNDLE_BYTES_MAX,
} from './homomorphic.engine.js';
import { homomorphicProduct, MULTIPLICATION_METER, ROTATION_METER } from './homomorphic.product.js';
import { KeyFiles } from './key-files.port.js';

/** Two sets of keys are loaded in two seconds, and an evaluation takes less. */
export const REQUEST_MS_MAX = TURNS.waitMsMax + 60_000;

/** An evaluation that has been paid for. */
export interface EvaluatedChat {
  readonly asked: EvaluationAsked;
  readonly evaluated: Evaluated;
  readonly entry: LedgerEntry;
  readonly pace?: HoldPace;
}

interface HeldEvaluation {
  readonly keys: EvaluationKeys;
  readonly asked: EvaluationAsked;
  readonly held: HeldRequest;
}

/** Evaluates on the ciphertexts of chats, with the keys in a file of the account. */
@Injectable()
export class HomomorphicChats implements OnApplicationShutdown {
  constructor(
    private readonly rooms: Rooms,
    private readonly files: KeyFiles,
    private readonly turns: RoomTurns,
    private readonly engine: HomomorphicEngine,
    private readonly paid: PaidRequests,
    private readonly prices: MeterPrices,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.engine.close();
  }

  /** @throws DomainError, RejectedRequestError, RequestCutError; none after a charge */
  async evaluate(order: ChatOrder, signal: AbortSignal): Promise<EvaluatedChat> {
    const asked = evaluationAskedOf(order.body);
    await this.rooms.find(asked.cleanroomId, order.accountId);
    const keys = await this.#keysOf(order.accountId, asked.keyFileId);
    const pricedAtMs = this.clock.now();
    const list = this.prices.inForce(pricedAtMs);
    const perMultiplication = roomPriceOf(list, MULTIPLICATION_METER);
    const perRotation = roomPriceOf(list, ROTATION_METER);
    const counts = countsOf(asked.evaluation);
    const lines = [
      perMultiplication.lineOf(counts.multiplications),
      perRotation.lineOf(counts.rotations),
    ].filter(({ quantity }) => quantity > 0);
    const evidence = evidenceOf(asked);
    const held = await this.paid.admit(order, {
      purpose: homomorphicProduct.purpose,
      lines,
      rateCardVersion: perRotation.rateCardVersion,
      evidence,
      pricedAtMs,
      requestMsMax: REQUEST_MS_MAX,
    });
    const evaluated = await this.#run(order.accountId, { keys, asked, held }, signal);
    const entry = await held.capture({
      ...held.charged(lines),
      evidence: { ...evidence, ...counts },
      usageSource: 'counted',
      outcome: 'completed',
    });
    return { asked, evaluated, entry, ...held.pace };
  }

  /** Evaluates in a turn of the account; work that fails is released. */
  async #run(
    accountId: string,
    { keys, asked, held }: HeldEvaluation,
    signal: AbortSignal,
  ): Promise<Evaluated> {
    try {
      const run = () => this.engine.run(keys, asked.evaluation, signal);
      return await this.turns.run(accountId, run, signal);
    } catch (error) {
      const cut = cutOf(signal);
      await held.release(cut?.reason ?? reasonOf(error)).catch(() => undefined);
      throw cut ?? errorOf(error);
    }
  }

  /** @throws DomainError */
  async #keysOf(accountId: string, fileId: string): Promise<EvaluationKeys> {
    const file = await this.files.find(accountId, fileId);
    if (!file) {
      return reject('fhe_keys_not_found', `fhe.key_file_id: the account has no file ${fileId}`);
    }
    if (file.expiresAt === null) {
      const detail =
        'fhe.key_file_id: expected a file with an expiry; upload it with expires_after';
      return reject('fhe_keys_lifetime_missing', detail);
    }
    if (file.bytes > KEY_BUNDLE_BYTES_MAX) {
      const detail = `fhe.key_file_id: expected a file of at most ${KEY_BUNDLE_BYTES_MAX} bytes`;
      return reject('fhe_keys_malformed', detail);
    }
    return {
      id: file.address,
      read: async () => {
        const pieces: Uint8Array[] = [];
        for await (const piece of await file.read()) pieces.push(piece);
        return Buffer.concat(pieces);
      },
    };
  }
}

const evidenceOf = ({ cleanroomId, keyFileId, evaluation }: EvaluationAsked) => ({
  cleanroomId,
  keyFileId,
  operation: evaluation.operation,
  sealedSha256: hash('sha256', Buffer.concat([...evaluation.ciphertexts])),
});

const CODES: Readonly<Record<HomomorphicFailure, CleanroomsErrorCode>> = {
  keys_malformed: 'fhe_keys_malformed',
  keys_insufficient: 'fhe_keys_insufficient',
  ciphertext_malformed: 'fhe_ciphertext_malformed',
  ciphertext_unsupported: 'fhe_ciphertext_unsupported',
  operation_unsupported: 'fhe_operation_unsupported',
  closed: 'fhe_unavailable',
  crashed: 'fhe_unavailable',
};

const reasonOf = (error: unknown): Release['reason'] => {
  const isRefused =
    error instanceof HomomorphicError ||
    error instanceof DomainError ||
    error instanceof CleanroomFailure;
  return isRefused ? 'refused' : 'internal_error';
};

const errorOf = (error: unknown): unknown =>
  error instanceof HomomorphicError
    ? new DomainError<CleanroomsErrorCode>(CODES[error.code], error.message)
    : error;
