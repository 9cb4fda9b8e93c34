import { Inject, Injectable } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import {
  CreateEmbeddingsHandler,
  type PaidEmbeddings,
} from '#areas/embeddings/create-embeddings.handler.js';
import {
  type EmbeddingAsked,
  type InvalidEmbeddingBody,
} from '#areas/embeddings/embedding-body.js';
import { EmbeddingFunds } from '#areas/embeddings/embedding-funds.js';
import {
  EMBEDDINGS_SETTINGS,
  type EmbeddingsSettings,
} from '#areas/embeddings/embeddings.settings.js';
import { guardedInputs } from '#areas/embeddings/guarded-embeddings.js';
import { EmbeddingModels } from '#areas/embeddings/ports.js';
import { type ScoringAsked } from '#areas/embeddings/scores/scoring-asked.js';
import { type ScoringTask } from '#areas/embeddings/scores/scoring.ports.js';
import { type PaidScores, ScoreHandler } from '#areas/embeddings/scores/score.handler.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { ChatGuards } from '#platform/chats/chat-guards.port.js';
import { isFields, textOf } from '#platform/chats/read-answer.js';
import { TEXT_HASHER, type TextHasher } from '#platform/secrets/keyed-hasher.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type PaidOrder } from '#platform/ledger/paid-work/paid-order.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { modelOf } from '../bodies/named-model.js';
import { bodyLabels } from '../paid/body-labels.js';
import { callerContext } from '../identity/caller-context.js';
import { OpenRequests } from '../../operations/open-requests.js';
import { Failures } from '../errors/failures.js';
import { HttpFailure } from '../errors/http-failure.js';
import { type RequestAttempt } from '../idempotency/current-attempt.decorator.js';
import { rateLimitHeaders } from '../identity/rate-limit.headers.js';
import { RequestRates } from '../identity/request-rates.js';
import { costHeaders, routeHeaders } from '../inference/chat.headers.js';
import { ChatMetrics, type InputOperation } from '../inference/chat.metrics.js';

/** A request as it came over HTTP. */
export interface EmbeddingRequest {
  readonly caller: Caller;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly attempt: RequestAttempt | undefined;
}

/** Work of one kind that a request orders. */
interface Work<Asked, Paid> {
  readonly operation: InputOperation;
  /** Called once the account has funds. @throws HttpFailure for an invalid body */
  readonly read: (sent: unknown) => Asked;
  /** The model for the metrics, where the catalog has it. */
  readonly modelOf: (asked: Asked) => string | null;
  readonly execute: (order: PaidOrder, asked: Asked, signal: AbortSignal) => Promise<Paid>;
}

/** The facts of an answer for its headers and metrics. */
type PaidInput = Pick<PaidEmbeddings, 'usage' | 'rig' | 'attempts' | 'entry' | 'pace'>;

/** Embeddings, rankings and moderations: funds, hold, rigs, charge, headers and metrics. */
@Injectable()
export class EmbeddingExchange {
  constructor(
    private readonly embeddings: CreateEmbeddingsHandler,
    private readonly scores: ScoreHandler,
    private readonly funds: EmbeddingFunds,
    private readonly models: EmbeddingModels,
    private readonly requests: OpenRequests,
    private readonly metrics: ChatMetrics,
    private readonly failures: Failures,
    private readonly rates: RequestRates,
    private readonly guards: ChatGuards,
    @Inject(EMBEDDINGS_SETTINGS) private readonly settings: EmbeddingsSettings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(TEXT_HASHER) private readonly hash: TextHasher,
  ) {}

  /**
   * @param read called once the account has funds
   * @throws what `read` throws; as `CreateEmbeddingsHandler`
   */
  embed<Asked extends { readonly embeddings: EmbeddingAsked }>(
    request: EmbeddingRequest,
    read: (sent: unknown) => Asked,
  ): Promise<{ readonly asked: Asked; readonly paid: PaidEmbeddings }> {
    return this.#answer(request, {
      operation: 'embeddings',
      read,
      modelOf: ({ embeddings }) => this.models.model(embeddings.model)?.id ?? null,
      execute: (order, { embeddings: asked }, signal) =>
        this.embeddings.execute({ ...order, asked }, signal),
    });
  }

  /** Whether the model that the body names ranks documents by itself. */
  ranks(sent: unknown): boolean {
    return this.scores.does('rerank', modelOf(sent));
  }

  /**
   * @param read called once the account has funds
   * @throws what `read` throws; as `ScoreHandler`
   */
  score<Asked extends { readonly scoring: ScoringAsked }>(
    request: EmbeddingRequest,
    operation: ScoringTask,
    read: (sent: unknown) => Asked,
  ): Promise<{ readonly asked: Asked; readonly paid: PaidScores }> {
    return this.#answer(request, {
      operation,
      read,
      modelOf: ({ scoring: { model } }) => (this.scores.does(operation, model) ? model : null),
      execute: (order, { scoring: asked }, signal) =>
        this.scores.execute({ ...order, asked }, signal),
    });
  }

  async #answer<Asked, Paid extends PaidInput>(
    { caller, request, reply, attempt }: EmbeddingRequest,
    { operation, read, modelOf: modelIn, execute }: Work<Asked, Paid>,
  ): Promise<{ readonly asked: Asked; readonly paid: Paid }> {
    const startedAt = attempt?.startedAt ?? performance.now();
    const receivedAtMs = this.clock.now();
    const { body: sent } = request;
    const named = modelOf(sent);
    await this.funds.demand(caller.accountId, named, request.id);
    const work = { accountId: caller.accountId, model: textOf(named), requestId: request.id };
    const asked = read(isFields(sent) ? await guardedInputs(this.guards, work, sent) : sent);
    const labels = bodyLabels(sent, caller.accountId, this.hash);
    const model = modelIn(asked);
    const order = {
      accountId: caller.accountId,
      receivedAtMs,
      context: callerContext(request, caller, labels),
      ...(attempt && { confirm: attempt.confirm }),
    };
    const ended = (error: string): void => {
      this.metrics.inputEnded(operation, model, (performance.now() - startedAt) / 1e3, error);
    };
    try {
      const paid = await this.requests.whileConnected(
        reply.raw,
        this.settings.requestMsMax,
        ({ signal }) => execute(order, asked, signal),
      );
      this.#writeHeaders(reply, caller, startedAt, paid);
      if (model !== null) this.metrics.inputCharged(operation, { model, ...charged(paid) });
      ended('');
      return { asked, paid };
    } catch (error) {
      ended(this.failures.of(error).code);
      throw error;
    }
  }

  #writeHeaders(
    reply: FastifyReply,
    caller: Caller,
    startedAt: number,
    { rig, attempts, entry, pace }: PaidInput,
  ): void {
    void reply
      .headers(routeHeaders(startedAt, { rig, attempts }))
      .headers(costHeaders(entry))
      .headers(rateLimitHeaders(this.rates.rateOf(caller), pace, this.clock.now()));
  }
}

const charged = ({ rig, usage, entry }: PaidInput) => ({
  rig,
  promptTokens: usage.promptTokens,
  chargedMicroUsd: entry.chargedMicroUsd,
});

/** @throws HttpFailure 400 whose param is the first invalid field */
export const demandValid = <Asked>(
  read: { readonly asked: Asked } | { readonly invalid: InvalidEmbeddingBody },
): Asked => {
  if ('asked' in read) return read.asked;
  const { message, param } = read.invalid;
  const failure = { status: 400, code: 'invalid_request', message };
  throw new HttpFailure({ ...failure, ...(param !== null && { param }) });
};
