import { Controller, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { OpenAiErrors } from '../errors/envelope.js';
import { type AnswerEnd } from '../idempotency/answer-recorder.js';
import { CurrentAttempt, type RequestAttempt } from '../idempotency/current-attempt.decorator.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { PaidSettler } from '../paid/paid.settler.js';
import { ResumableDocs } from '../streams/streams.docs.js';
import { CacheDocs } from '../inference/cache.header.js';
import { SessionDocs } from '../inference/session.header.js';
import { TranslatedChats, type Translation } from '../inference/translated-chats.js';
import { chatsOf } from '#areas/inference/completions/completion-body.js';
import { completionFacts } from '#areas/inference/completions/completion-object.js';
import { CompletionDocs } from './completions.docs.js';
import { completionFormat } from './completions.format.js';

/** OpenAI's legacy completions, answered as chats. */
@Scope('inference')
@Controller('v1/completions')
@UseGuards(ApiGuard)
export class CompletionsController {
  constructor(private readonly chats: TranslatedChats) {}

  @Post()
  @HttpCode(200)
  @OpenAiErrors()
  @CompletionDocs()
  @Idempotent({ settle: PaidSettler, reply: 'written', resumes: true })
  @ResumableDocs()
  @CacheDocs()
  @SessionDocs()
  create(
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @CurrentAttempt() attempt: RequestAttempt | undefined,
  ): Promise<AnswerEnd> {
    return this.chats.answer({ caller, request, reply, attempt }, (sent, receivedAtMs) =>
      translated(sent, request.id, receivedAtMs),
    );
  }
}

const translated = (sent: unknown, requestId: string, receivedAtMs: number): Translation => {
  const asked = chatsOf(sent);
  const [body, ...others] = asked.bodies;
  const format = completionFormat(completionFacts(asked, requestId, receivedAtMs));
  return { body, format, ...(others.length > 0 && { others }) };
};
