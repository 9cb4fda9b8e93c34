import { Body, Controller, HttpCode, Inject, Post, Req, Res, UseGuards } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { OpenAiErrors } from '../errors/envelope.js';
import { type AnswerEnd } from '../idempotency/answer-recorder.js';
import { CurrentAttempt, type RequestAttempt } from '../idempotency/current-attempt.decorator.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { OpenAiFailures } from '../openapi/failures.docs.js';
import { type ChatBody, ChatBodyPipe } from './chat.body.js';
import { ChatCompletionDocs } from './chat.docs.js';
import { ChatExchange } from './chat-exchange.js';
import { ChatSettler } from './chat.settler.js';

/** Chat completions, at both of their addresses. */
@Controller()
@UseGuards(ApiGuard)
export class ChatController {
  constructor(
    private readonly exchange: ChatExchange,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post(['v1/chat/completions', 'api/v1/chat/completions'])
  @HttpCode(200)
  @OpenAiErrors()
  @ChatCompletionDocs()
  @Idempotent({ settle: ChatSettler, reply: 'written', failures: OpenAiFailures })
  async complete(
    @Body(ChatBodyPipe) body: ChatBody,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @CurrentAttempt() attempt: RequestAttempt | undefined,
  ): Promise<AnswerEnd> {
    const startedAt = attempt?.startedAt ?? performance.now();
    const receivedAtMs = this.clock.now();
    const chat = { body, caller, requestId: request.id, startedAt, receivedAtMs };
    if (!attempt) return this.exchange.answer(chat, reply);
    return this.exchange.answer({ ...chat, confirm: attempt.confirm }, reply, attempt.tap);
  }
}
