import { Controller, Headers, Inject, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { AnthropicErrors } from '../errors/envelope.js';
import { type AnswerEnd } from '../idempotency/answer-recorder.js';
import { CurrentAttempt, type RequestAttempt } from '../idempotency/current-attempt.decorator.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { RIGS } from '#areas/inference/ports.js';
import { type RigRouter } from '#areas/inference/rigs/rig-router.js';
import { type OriginalRequest } from '#platform/chats/chat-order.js';
import { refusedField, RefusedRequestError } from '#platform/runtime/commands/refused-request.js';
import { type ChatBody } from '#areas/inference/chat-body.js';
import { PaidSettler } from '../paid/paid.settler.js';
import { ResumableDocs } from '../streams/streams.docs.js';
import { CacheDocs } from '../inference/cache.header.js';
import { TranslatedChats, type Translation } from '../inference/translated-chats.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { chatOf, untranslatedChatOf } from './messages.body.js';
import { CreateMessageDocs } from './messages.docs.js';
import { messageFormat } from './messages.format.js';
import { UncountedTokensGuard } from './uncounted-tokens.guard.js';

/** The versions of the interface: they do not differ in what is translated to chats. */
const VERSIONS = ['2023-06-01', '2026-10-21'] as const;
const VERSION_HEADER = 'anthropic-version';

/** Anthropic's Messages, answered as chats. */
@ApiTags('inference')
@Credentials('api-key', 'app-token', 'renter-key')
@ApiHeader({
  name: VERSION_HEADER,
  required: false,
  description: 'The versions do not differ in what is served here.',
  schema: { type: 'string', enum: [...VERSIONS] },
})
@UseGuards(ApiGuard)
@Controller('v1/messages')
export class MessagesController {
  constructor(
    private readonly chats: TranslatedChats,
    @Inject(RIGS) private readonly rigs: Pick<RigRouter, 'speaks'>,
  ) {}

  @Post()
  @HttpCode(200)
  @AnthropicErrors()
  @CreateMessageDocs()
  @Idempotent({ settle: PaidSettler, reply: 'written', resumes: true })
  @ResumableDocs()
  @CacheDocs()
  create(
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Headers(VERSION_HEADER) version: string | undefined,
    @CurrentAttempt() attempt: RequestAttempt | undefined,
  ): Promise<AnswerEnd> {
    refuseOtherVersion(version);
    return this.chats.answer({ caller, request, reply, attempt }, (sent) =>
      this.#translated(sent, request),
    );
  }

  /** What a chat cannot express goes to rigs that speak the dialect, if the model has some. */
  #translated(sent: unknown, request: FastifyRequest): Translation {
    const original = originalOf(request);
    try {
      return translationOf(chatOf(sent), request, original);
    } catch (error) {
      if (!original || !(error instanceof RefusedRequestError)) throw error;
      const body = untranslatedChatOf(sent);
      if (!body || !this.rigs.speaks(body.model, 'messages')) throw error;
      const untranslated = error.failure.param ?? 'messages';
      return translationOf(body, request, { ...original, untranslated });
    }
  }

  @Post('count_tokens')
  @HttpCode(200)
  @UseGuards(UncountedTokensGuard)
  @AnthropicErrors()
  @ApiOperation({
    summary: 'Count the tokens of a message',
    description:
      'Not served: the tokenizer of a model is known to its rigs only, and Quipu bounds the ' +
      'tokens of a prompt by its bytes, which is no count. The answer to a message states its ' +
      'count.',
  })
  @ApiOkResponse({
    description: 'The count. This release sends none.',
    schema: { type: 'object', properties: { input_tokens: { type: 'integer' } } },
  })
  @Idempotent()
  @FailsWith('token_count_unavailable')
  count(): void {
    // The guard has rejected the request.
  }
}

const refuseOtherVersion = (version: string | undefined): void => {
  if (version === undefined || VERSIONS.some((known) => known === version)) return;
  throw refusedField(VERSION_HEADER, `expected ${VERSIONS.join(' or ')}`);
};

const translationOf = (
  body: ChatBody,
  { id: requestId }: FastifyRequest,
  original: OriginalRequest | undefined,
): Translation => {
  const { model, stop } = body;
  const stopSequences = typeof stop === 'string' ? [stop] : (stop ?? []);
  const format = messageFormat({ requestId, model, stopSequences });
  return { body, format, ...(original && { original }) };
};

/** Headers that say how a body is to be read: an open list of betas, and the version. */
const BODY_HEADERS = [VERSION_HEADER, 'anthropic-beta'] as const;

const originalOf = ({ sentBytes: bytes, headers }: FastifyRequest): OriginalRequest | undefined => {
  const forwarded = BODY_HEADERS.flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return bytes && { dialect: 'messages', bytes, headers: Object.fromEntries(forwarded) };
};
