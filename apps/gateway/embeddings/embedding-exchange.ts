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
import { EmbeddingModels } from '#areas/embeddings/ports.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { type Clock } from '#platform/kernel/clock.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { OpenRequests } from '../../operations/open-requests.js';
import { Failures } from '../errors/failures.js';
import { HttpFailure } from '../errors/http-failure.js';
import { type RequestAttempt } from '../idempotency/current-attempt.decorator.js';
import { rateLimitHeaders } from '../identity/rate-limit.headers.js';
import { RequestRates } from '../identity/request-rates.js';
import { costHeaders, routeHeaders } from '../inference/chat.headers.js';
import { ChatMetrics } from '../inference/chat.metrics.js';

/** A request as it came over HTTP. */
export interface EmbeddingRequest {
  readonly caller: Caller;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly attempt: RequestAttempt | undefined;
}

/** Embeds the inputs of a request: funds, hold, rigs, charge, headers and metrics. */
@Injectable()
export class EmbeddingExchange {
  constructor(
    private readonly embeddings: CreateEmbeddingsHandler,
    private readonly funds: EmbeddingFunds,
    private readonly models: EmbeddingModels,
    private readonly requests: OpenRequests,
    private readonly metrics: ChatMetrics,
    private readonly failures: Failures,
    private readonly rates: RequestRates,
    @Inject(EMBEDDINGS_SETTINGS) private readonly settings: EmbeddingsSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * @param read called once the account has funds
   * @throws what `read` throws; as `CreateEmbeddingsHandler`
   */
  async embed<Asked extends { readonly embeddings: EmbeddingAsked }>(
    { caller, request, reply, attempt }: EmbeddingRequest,
    read: (sent: unknown) => Asked,
  ): Promise<{ readonly asked: Asked; readonly paid: PaidEmbeddings }> {
    const startedAt = attempt?.startedAt ?? performance.now();
    const receivedAtMs = this.clock.now();
    const { body: sent } = request;
    await this.funds.demand(caller.accountId, modelOf(sent), request.id);
    const whole = read(sent);
    const { embeddings: asked } = whole;
    const order = {
      accountId: caller.accountId,
      receivedAtMs,
      asked,
      context: contextOf(request.id, `user:${caller.userId}`, caller.credential.keyId),
      ...(attempt && { confirm: attempt.confirm }),
    };
    const ended = (error: string): void => {
      this.metrics.embeddingsEnded(
        this.models.model(asked.model)?.id ?? null,
        (performance.now() - startedAt) / 1e3,
        error,
      );
    };
    try {
      const answer = await this.requests.whileConnected(
        reply.raw,
        this.settings.requestMsMax,
        ({ signal }) => this.embeddings.execute(order, signal),
      );
      this.#writeHeaders(reply, caller, startedAt, answer);
      this.metrics.embeddingsCharged({ model: asked.model, ...charged(answer) });
      ended('');
      return { asked: whole, paid: answer };
    } catch (error) {
      ended(this.failures.of(error).code);
      throw error;
    }
  }

  #writeHeaders(
    reply: FastifyReply,
    caller: Caller,
    startedAt: number,
    { rig, attempts, entry, pace }: PaidEmbeddings,
  ): void {
    void reply
      .headers(routeHeaders(startedAt, { rig, attempts }))
      .headers(costHeaders(entry))
      .headers(rateLimitHeaders(this.rates.rateOf(caller), pace, this.clock.now()));
  }
}

const charged = ({ rig, usage, entry }: PaidEmbeddings) => ({
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

/** The model that an unvalidated body names. */
const modelOf = (sent: unknown): unknown =>
  typeof sent === 'object' && sent !== null && 'model' in sent ? sent.model : undefined;
