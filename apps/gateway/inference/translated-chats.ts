import { Inject, Injectable } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { type ChatBody } from '#areas/inference/chat-body.js';
import { TEXT_HASHER, type TextHasher } from '#platform/secrets/keyed-hasher.js';
import { type OriginalRequest } from '#platform/chats/chat-order.js';
import { ChatFunds } from '#areas/inference/chat-funds.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type Writable } from '#platform/kernel/writable.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { modelOf } from '../bodies/named-model.js';
import { bodyLabels } from '../paid/body-labels.js';
import { callerContext } from '../identity/caller-context.js';
import { type AnswerEnd } from '../idempotency/answer-recorder.js';
import { type RequestAttempt } from '../idempotency/current-attempt.decorator.js';
import { ResumableStreams } from '../streams/resumable-streams.js';
import { lastEventIdOf } from '../streams/resumption.js';
import { type AnswerFormat } from './answer-format.js';
import { cacheSecondsOf } from './cache.header.js';
import { sessionIdOf } from './session.header.js';
import { type Chat } from './chat.js';
import { ChatExchange } from './chat-exchange.js';

/** A request for a chat, or to another interface, as it came over HTTP. */
export interface TranslatedRequest {
  readonly caller: Caller;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly attempt: RequestAttempt | undefined;
}

/** The request as a chat, and the format of its answer. */
export interface Translation {
  readonly body: ChatBody;
  /** Default: a chat of OpenAI. */
  readonly format?: AnswerFormat;
  /** As in `ChatOrder`. */
  readonly others?: readonly ChatBody[];
  /** As in `ChatOrder`. */
  readonly original?: OriginalRequest;
}

/**
 * Answers chats, and other interfaces by chats: with the funds, hold, rigs, charge, headers and
 * limits of one.
 */
@Injectable()
export class TranslatedChats {
  constructor(
    private readonly exchange: ChatExchange,
    private readonly funds: ChatFunds,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly streams: ResumableStreams,
    @Inject(TEXT_HASHER) private readonly hash: TextHasher,
  ) {}

  /**
   * @param translate called once the account has funds
   * @throws what `translate` throws; the error of an answer that did not begin
   */
  async answer(
    { caller, request, reply, attempt }: TranslatedRequest,
    translate: (sent: unknown, receivedAtMs: number) => Translation | Promise<Translation>,
  ): Promise<AnswerEnd> {
    const lastEventId = lastEventIdOf(request.headers);
    if (lastEventId !== undefined) {
      await this.streams.repeat(lastEventId, caller, reply);
      return 'whole';
    }
    const cacheSeconds = cacheSecondsOf(request.headers) ?? caller.credential.cacheSeconds;
    const sessionId = sessionIdOf(request.headers);
    const startedAt = attempt?.startedAt ?? performance.now();
    const receivedAtMs = this.clock.now();
    const { id: requestId, body: sent } = request;
    const { accountId } = caller;
    const context = callerContext(request, caller, bodyLabels(sent, accountId, this.hash));
    const demanded = this.funds.demand(accountId, modelOf(sent), requestId);
    if (demanded instanceof Promise) await demanded;
    const translated = translate(sent, receivedAtMs);
    const translation = translated instanceof Promise ? await translated : translated;
    const requestHash = this.streams.requestHash(request);
    const { body, others, original, format } = translation;
    const routingMode = body.routing_mode;
    const order: Writable<Chat['order']> = { accountId, receivedAtMs, body, routingMode, context };
    if (attempt) order.confirm = attempt.confirm;
    if (others) order.others = others;
    if (original) order.original = original;
    if (cacheSeconds !== undefined) order.cacheSeconds = cacheSeconds;
    if (sessionId !== undefined) order.sessionId = sessionId;
    const chat = { order, caller, startedAt, requestHash, format };
    // Without `await`, the promise would be adopted, which takes two more turns.
    return await this.exchange.answer(chat, reply, attempt?.tap);
  }
}
