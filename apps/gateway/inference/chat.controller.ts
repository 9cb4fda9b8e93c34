import { Body, Controller, HttpCode, Inject, Post, Req, Res, UseGuards } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { ChatFunds } from '#areas/inference/chat-funds.js';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { DirectRoutes } from '../direct/direct-routes.js';
import { OpenAiErrors } from '../errors/envelope.js';
import { type AnswerEnd } from '../idempotency/answer-recorder.js';
import { CurrentAttempt, type RequestAttempt } from '../idempotency/current-attempt.decorator.js';
import { IDEMPOTENCY_HEADER } from '../idempotency/idempotency.metadata.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { OpenAiFailures } from '../openapi/failures.docs.js';
import { parseChatBody } from '#areas/inference/chat-body.js';
import { ResumableStreams } from '../streams/resumable-streams.js';
import { lastEventIdOf } from '../streams/resumption.js';
import { ResumableDocs } from '../streams/streams.docs.js';
import { ChatCompletionDocs } from './chat.docs.js';
import { ChatExchange } from './chat-exchange.js';
import { ChatSettler } from './chat.settler.js';
import { modelOf } from './translated-chats.js';

const ADDRESSES = ['v1/chat/completions', 'api/v1/chat/completions'] as const;

/** Chat completions, at both of their addresses. */
@Controller()
@UseGuards(ApiGuard)
export class ChatController {
  constructor(
    private readonly exchange: ChatExchange,
    private readonly funds: ChatFunds,
    @Inject(CLOCK) private readonly clock: Clock,
    guard: ApiGuard,
    directRoutes: DirectRoutes,
    private readonly streams: ResumableStreams,
  ) {
    directRoutes.add({
      urls: ADDRESSES.map((address) => `/${address}`),
      takes: ({ headers }) => headers[IDEMPOTENCY_HEADER] === undefined,
      handle: async (request, reply, readBody) => {
        await guard.admit(request);
        await readBody();
        if (!request.caller) throw new Error('the guard has set no caller');
        return this.complete(request.body, request.caller, request, reply, undefined);
      },
    });
  }

  @Post([...ADDRESSES])
  @HttpCode(200)
  @OpenAiErrors()
  @ChatCompletionDocs()
  @Idempotent({ settle: ChatSettler, reply: 'written', resumes: true, failures: OpenAiFailures })
  @ResumableDocs()
  async complete(
    @Body() sent: unknown,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @CurrentAttempt() attempt: RequestAttempt | undefined,
  ): Promise<AnswerEnd> {
    const lastEventId = lastEventIdOf(request.headers);
    if (lastEventId !== undefined) {
      await this.streams.repeat(lastEventId, caller, reply);
      return 'whole';
    }
    const startedAt = attempt?.startedAt ?? performance.now();
    const receivedAtMs = this.clock.now();
    await this.funds.demand(caller.accountId, modelOf(sent), request.id);
    const body = parseChatBody(sent);
    const requestHash = this.streams.requestHash(request);
    const chat = {
      body,
      caller,
      requestId: request.id,
      startedAt,
      receivedAtMs,
      ...(requestHash !== undefined && { requestHash }),
    };
    if (!attempt) return this.exchange.answer(chat, reply);
    return this.exchange.answer({ ...chat, confirm: attempt.confirm }, reply, attempt.tap);
  }
}
