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
import { CountTokensHandler } from '#areas/inference/count-tokens.handler.js';
import { REQUEST_LIMITS, type RequestLimits, RIGS } from '#areas/inference/ports.js';
import { fieldsOf } from '#platform/chats/read-answer.js';
import { OpenRequests } from '../../operations/open-requests.js';
import { type RigRouter } from '#areas/inference/rigs/rig-router.js';
import { type OriginalRequest } from '#platform/chats/chat-order.js';
import { refusedField, RefusedRequestError } from '#platform/runtime/commands/refused-request.js';
import { type ChatBody } from '#areas/inference/chat-body.js';
import { PaidSettler } from '../paid/paid.settler.js';
import { ResumableDocs } from '../streams/streams.docs.js';
import { TranslatedChats, type Translation } from '../inference/translated-chats.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { chatOf, untranslatedChatOf } from './messages.body.js';
import { CreateMessageDocs } from './messages.docs.js';
import { messageFormat } from './messages.format.js';

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
    private readonly counts: CountTokensHandler,
    private readonly requests: OpenRequests,
    @Inject(REQUEST_LIMITS) private readonly limits: RequestLimits,
  ) {}

  @Post()
  @HttpCode(200)
  @AnthropicErrors()
  @CreateMessageDocs()
  @Idempotent({ settle: PaidSettler, reply: 'written', resumes: true })
  @ResumableDocs()
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

  @Post('count_tokens')
  @HttpCode(200)
  @AnthropicErrors()
  @ApiOperation({
    summary: 'Count the tokens of a message',
    description:
      'Free of charge, by a rig that knows the tokenizer of the model: a provider of messages is ' +
      'asked with the body as it is. Without such a rig there is no count: Quipu itself bounds ' +
      'tokens by bytes.',
  })
  @ApiOkResponse({
    description: 'The count.',
    schema: { type: 'object', properties: { input_tokens: { type: 'integer' } } },
  })
  @Idempotent()
  @FailsWith('token_count_unavailable', 'model_not_found')
  async count(
    @CurrentCaller() { accountId }: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Headers(VERSION_HEADER) version: string | undefined,
  ): Promise<{ readonly input_tokens: number }> {
    refuseOtherVersion(version);
    const { body: sent } = request;
    // A count has no bound; the translation demands one.
    const { body, original } = this.#translated({ max_tokens: 1, ...fieldsOf(sent) }, request);
    const order = { accountId, body, ...(original && { original }) };
    const tokens = await this.requests.whileConnected(
      reply.raw,
      this.limits.requestMsMax,
      ({ signal }) => this.counts.execute(order, signal),
    );
    return { input_tokens: tokens };
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
