import { Controller, Headers, HttpCode, Inject, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { ChatFunds } from '#areas/inference/chat-funds.js';
import { CountTokensHandler } from '#areas/inference/count-tokens.handler.js';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { modelOf } from '../bodies/named-model.js';
import { callerContext } from '../identity/caller-context.js';
import { AnthropicErrors } from '../errors/envelope.js';
import { type AnswerEnd } from '../idempotency/answer-recorder.js';
import { CurrentAttempt, type RequestAttempt } from '../idempotency/current-attempt.decorator.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { RIGS } from '#areas/inference/ports.js';
import { type RigRouter } from '#areas/inference/rigs/rig-router.js';
import { type OriginalRequest } from '#platform/chats/chat-order.js';
import {
  rejectedField,
  RejectedRequestError,
} from '#platform/runtime/commands/rejected-request.js';
import { type ChatBody } from '#areas/inference/chat-body.js';
import { fieldsOf } from '#platform/chats/read-answer.js';
import { Scope } from '../identity/scope.decorator.js';
import { PaidSettler } from '../paid/paid.settler.js';
import { ResumableDocs } from '../streams/streams.docs.js';
import { CacheDocs } from '../inference/cache.header.js';
import { SessionDocs } from '../inference/session.header.js';
import { TranslatedChats, type Translation } from '../inference/translated-chats.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { OpenRequests } from '../../operations/open-requests.js';
import { RIG_CODES } from '../inference/chat.docs.js';
import { chatOf, untranslatedChatOf } from './messages.body.js';
import { CreateMessageDocs } from './messages.docs.js';
import { messageFormat } from './messages.format.js';
import { CountedBodyGuard } from './counted-body.guard.js';

/** The versions of the interface: they do not differ in what is translated to chats. */
const VERSIONS = ['2023-06-01', '2026-10-21'] as const;
/** A model may have to be loaded first. */
const COUNT_MS_MAX = 60_000;
const COUNT_CODES = ['model_not_found', 'token_count_unavailable', ...RIG_CODES];
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
@Scope('inference')
@Controller('v1/messages')
export class MessagesController {
  constructor(
    private readonly chats: TranslatedChats,
    @Inject(RIGS) private readonly rigs: Pick<RigRouter, 'speaks'>,
    private readonly counts: CountTokensHandler,
    private readonly funds: ChatFunds,
    private readonly requests: OpenRequests,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post()
  @HttpCode(200)
  @AnthropicErrors()
  @CreateMessageDocs()
  @Idempotent({ settle: PaidSettler, reply: 'written', resumes: true })
  @ResumableDocs()
  @CacheDocs()
  @SessionDocs()
  create(
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Headers(VERSION_HEADER) version: string | undefined,
    @CurrentAttempt() attempt: RequestAttempt | undefined,
  ): Promise<AnswerEnd> {
    rejectOtherVersion(version);
    return this.chats.answer({ caller, request, reply, attempt }, (sent) =>
      this.#translated(sent, request),
    );
  }

  /** A message that a chat cannot express is for rigs that speak the dialect, if there are any. */
  #translated(sent: unknown, request: FastifyRequest): Translation {
    const original = originalOf(request);
    try {
      return translationOf(chatOf(sent), request, original);
    } catch (error) {
      if (!original || !(error instanceof RejectedRequestError)) throw error;
      const body = untranslatedChatOf(sent);
      if (!body || !this.rigs.speaks(body.model, 'messages')) throw error;
      const untranslated = error.failure.param ?? 'messages';
      return translationOf(body, request, { ...original, untranslated });
    }
  }

  @Post('count_tokens')
  @HttpCode(200)
  @UseGuards(CountedBodyGuard)
  @AnthropicErrors()
  @ApiOperation({
    summary: 'Count the tokens of a message',
    description:
      'Takes the body of a message, `max_tokens` may be left out, and 1 MiB at most. The ' +
      'tokenizer of the model counts the prompt as its template renders it; nothing is charged. ' +
      'Where no rig of the model can count, the answer is 501 `token_count_unavailable`, whose ' +
      '`metadata.input_tokens_at_most` is a bound by the bytes of the prompt, and no count.',
  })
  @ApiOkResponse({
    description: 'The exact number of tokens.',
    schema: {
      type: 'object',
      properties: { input_tokens: { type: 'integer' } },
      example: { input_tokens: 14 },
    },
  })
  @Idempotent()
  @FailsWith(...COUNT_CODES)
  async count(
    @CurrentCaller() { accountId, userId, credential }: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Headers(VERSION_HEADER) version: string | undefined,
  ): Promise<{ readonly input_tokens: number }> {
    rejectOtherVersion(version);
    const { body: sent } = request;
    await this.funds.demand(accountId, modelOf(sent), request.id);
    // A count has no bound; a chat demands one.
    const { body, original } = this.#translated({ max_tokens: 1, ...fieldsOf(sent) }, request);
    const order = {
      accountId,
      body,
      ...(original && { original }),
      routingMode: body.routing_mode,
      receivedAtMs: this.clock.now(),
      context: callerContext(request, { userId, credential }),
    };
    const tokens = await this.requests.whileConnected(reply.raw, COUNT_MS_MAX, ({ signal }) =>
      this.counts.execute(order, signal),
    );
    return { input_tokens: tokens };
  }
}

const rejectOtherVersion = (version: string | undefined): void => {
  if (version === undefined || VERSIONS.some((known) => known === version)) return;
  throw rejectedField(VERSION_HEADER, `expected ${VERSIONS.join(' or ')}`);
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
