import { Controller, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { DirectRoutes } from '../direct/direct-routes.js';
import { OpenAiErrors } from '../errors/envelope.js';
import { type AnswerEnd } from '../idempotency/answer-recorder.js';
import { CurrentAttempt, type RequestAttempt } from '../idempotency/current-attempt.decorator.js';
import { IDEMPOTENCY_HEADER } from '../idempotency/idempotency.metadata.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { parseChatBody } from '#areas/inference/chat-body.js';
import { PaidSettler } from '../paid/paid.settler.js';
import { ResumableDocs } from '../streams/streams.docs.js';
import { ChatCompletionDocs } from './chat.docs.js';
import { CacheDocs } from './cache.header.js';
import { SessionDocs } from './session.header.js';
import { TranslatedChats, type Translation } from './translated-chats.js';

const ADDRESSES = ['v1/chat/completions', 'api/v1/chat/completions'] as const;

const TERMS = { scope: 'inference' } as const;

/** Chat completions, at both of their addresses. */
@Controller()
@Scope(TERMS.scope)
@UseGuards(ApiGuard)
export class ChatController {
  constructor(
    private readonly chats: TranslatedChats,
    guard: ApiGuard,
    directRoutes: DirectRoutes,
  ) {
    directRoutes.add({
      urls: ADDRESSES.map((address) => `/${address}`),
      takes: ({ headers }) => headers[IDEMPOTENCY_HEADER] === undefined,
      handle: async (request, reply, readBody) => {
        const admitted = guard.admit(request, TERMS);
        if (admitted !== true) await admitted;
        await readBody(request, reply);
        if (!request.caller) throw new Error('the guard has set no caller');
        await this.complete(request.caller, request, reply, undefined);
      },
    });
  }

  @Post([...ADDRESSES])
  @HttpCode(200)
  @OpenAiErrors()
  @ChatCompletionDocs()
  @Idempotent({ settle: PaidSettler, reply: 'written', resumes: true })
  @ResumableDocs()
  @CacheDocs()
  @SessionDocs()
  complete(
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @CurrentAttempt() attempt: RequestAttempt | undefined,
  ): Promise<AnswerEnd> {
    return this.chats.answer({ caller, request, reply, attempt }, (sent) => asChat(sent, request));
  }
}

/** A chat is what the others are translated to. */
const asChat = (sent: unknown, { sentBytes: bytes }: FastifyRequest): Translation => {
  const body = parseChatBody(sent);
  return bytes ? { body, original: { dialect: 'chat', bytes } } : { body };
};
