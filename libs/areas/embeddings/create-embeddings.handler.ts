import { Inject, Injectable } from '@nestjs/common';
import { type HoldPace, type LedgerEntry } from '#platform/ledger/hold.js';
import { cutOf } from '#platform/runtime/commands/request-cut.js';
import { TEXT_HASHER, type TextHasher } from '#platform/secrets/keyed-hasher.js';
import { checkEmbeddings } from './checked-embeddings.js';
import {
  type AdmissionOrder,
  type AdmittedEmbeddings,
  EmbeddingAdmission,
} from './embedding-admission.js';
import { type EmbeddingAsked } from './embedding-body.js';
import {
  EmbeddingModels,
  EmbeddingRigs,
  type EmbeddingUsage,
  type RigAttempt,
  type RigEmbeddings,
  type RigOrder,
  type Vector,
} from './ports.js';
import { inEncoding } from './vectors.js';

export interface EmbeddingsOrder extends Omit<AdmissionOrder, 'checked'> {
  readonly asked: EmbeddingAsked;
}

/** Embeddings that have been paid for. */
export interface PaidEmbeddings {
  /** In the encoding that was asked for. */
  readonly vectors: readonly Vector[];
  readonly usage: EmbeddingUsage;
  readonly rig: string;
  readonly attempts: readonly RigAttempt[];
  readonly entry: LedgerEntry;
  readonly pace?: HoldPace;
}

/** Holds, asks the rigs, charges. Called without the bus. */
@Injectable()
export class CreateEmbeddingsHandler {
  constructor(
    private readonly models: EmbeddingModels,
    private readonly admission: EmbeddingAdmission,
    private readonly rigs: EmbeddingRigs,
    @Inject(TEXT_HASHER) private readonly hash: TextHasher,
  ) {}

  /**
   * @param signal aborted with a `RequestCutError` when the caller leaves or the time is up
   * @throws DomainError, RequestCutError, failures of the rigs; the last two after the hold is
   *   released, or charged for a caller that left
   */
  async execute(
    { asked, ...order }: EmbeddingsOrder,
    signal: AbortSignal,
  ): Promise<PaidEmbeddings> {
    const checked = checkEmbeddings(asked, this.models);
    const { model, body, boundTokens: promptTokensMax } = checked;
    const admitted = await this.admission.admit({ ...order, signal, checked });
    const route: RigOrder = {
      model: model.id,
      accountId: order.accountId,
      body,
      promptTokensMax,
      priority: 'interactive',
    };
    const answer = await this.#ask(route, admitted, model.chargesCancelled, signal);
    const { usage, rig, attempts, dimensions, modelAnswered } = answer;
    const { vectors, outputHash, bytesOut } = await this.#written(answer, asked, admitted);
    const entry = await admitted.capture({
      usage,
      rig,
      attempts: attempts.length,
      modelAnswered,
      dimensions,
      outputHash,
      bytesOut,
      outcome: 'completed',
    });
    const { pace } = admitted;
    return { vectors, usage, rig, attempts, entry, ...(pace && { pace }) };
  }

  /** Nothing was delivered when this fails, so it is free, unless the caller left accepted work. */
  async #ask(
    route: RigOrder,
    admitted: AdmittedEmbeddings,
    chargesCancelled: boolean,
    signal: AbortSignal,
  ): Promise<RigEmbeddings> {
    try {
      return await this.rigs.embed(route, signal);
    } catch (error) {
      const failure = this.rigs.failureOf(error);
      const cut = failure?.isCancelled === true ? cutOf(signal) : null;
      if (cut?.reason === 'client_gone' && chargesCancelled && failure?.used) {
        const { usage, rig, attempts } = failure.used;
        await admitted.capture({
          usage,
          rig,
          attempts,
          outcome: 'client_gone',
          modelAnswered: null,
          dimensions: null,
          outputHash: null,
          bytesOut: 0,
        });
        throw cut;
      }
      await admitted.release(cut?.reason ?? failure?.reason ?? 'internal_error');
      throw cut ?? error;
    }
  }

  /** Everything that could fail because of the answer itself happens here, before the charge. */
  async #written(
    { vectors }: RigEmbeddings,
    { encoding }: EmbeddingAsked,
    admitted: AdmittedEmbeddings,
  ) {
    try {
      const encoded = vectors.map((vector) => inEncoding(vector, encoding));
      const text = JSON.stringify(encoded);
      return {
        vectors: encoded,
        outputHash: this.hash(text),
        bytesOut: Buffer.byteLength(text),
      };
    } catch (error) {
      await admitted.release('internal_error');
      throw error;
    }
  }
}
