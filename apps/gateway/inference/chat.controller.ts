import {
  Body,
  Controller,
  Headers,
  HttpCode,
  Inject,
  Post,
  Req,
  Res,
  UseGuards,
} from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { OpenAiErrors } from '../errors/envelope.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { type ChatBody, ChatBodyPipe } from './chat.body.js';
import { ChatCompletionDocs } from './chat.docs.js';
import { ChatExchange } from './chat-exchange.js';
import { IdempotentChat } from './idempotent-chat.js';

/** Chat completions, at both of their addresses. */
@Controller()
@UseGuards(ApiGuard)
export class ChatController {
  constructor(
    private readonly exchange: ChatExchange,
    private readonly idempotent: IdempotentChat,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post(['v1/chat/completions', 'api/v1/chat/completions'])
  @HttpCode(200)
  @OpenAiErrors()
  @ChatCompletionDocs()
  async complete(
    @Body(ChatBodyPipe) body: ChatBody,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Headers('idempotency-key') idempotencyKey?: string,
  ): Promise<void> {
    const [startedAt, receivedAtMs] = [performance.now(), this.clock.now()];
    const chat = { body, caller, requestId: request.id, startedAt, receivedAtMs };
    if (idempotencyKey === undefined) await this.exchange.answer(chat, reply);
    else await this.idempotent.answer(idempotencyKey, chat, reply);
  }
}
