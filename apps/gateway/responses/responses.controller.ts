import {
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Post,
  Query,
  Req,
  Res,
  UseGuards,
} from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { ResponseStore } from '#areas/responses/response-store.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { OpenAiErrors } from '../errors/envelope.js';
import { type AnswerEnd } from '../idempotency/answer-recorder.js';
import { CurrentAttempt, type RequestAttempt } from '../idempotency/current-attempt.decorator.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { ItemPageDto, itemPage } from '../pages/item-page.js';
import { PaidSettler } from '../paid/paid.settler.js';
import { ResumableDocs } from '../streams/streams.docs.js';
import { CacheDocs } from '../inference/cache.header.js';
import { SessionDocs } from '../inference/session.header.js';
import { TranslatedChats } from '../inference/translated-chats.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { isInBackground, ResponsesBackground } from './responses.background.js';
import { CreateResponseDocs, RESPONSE_SCHEMA } from './responses.docs.js';
import {
  DeletedResponseDto,
  InputItemsDto,
  ResponseIdDto,
  RetrieveResponseDto,
} from './responses.dto.js';
import { ResponsesExchange } from './responses.exchange.js';

/** OpenAI's Responses API, answered as chats. */
@ApiTags('responses')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('v1/responses')
export class ResponsesController {
  constructor(
    private readonly chats: TranslatedChats,
    private readonly exchange: ResponsesExchange,
    private readonly background: ResponsesBackground,
    private readonly responses: ResponseStore,
  ) {}

  @Post()
  @HttpCode(200)
  @OpenAiErrors()
  @CreateResponseDocs()
  @Idempotent({ settle: PaidSettler, reply: 'written', resumes: true })
  @ResumableDocs()
  @CacheDocs()
  @SessionDocs()
  @FailsWith(
    'previous_response_not_found',
    'previous_response_unfinished',
    'conversation_too_long',
    'too_many_jobs',
    'vector_store_not_found',
    'vault_memory_full',
    'vault_unavailable',
    'mcp_server_unavailable',
    'mcp_list_too_large',
  )
  create(
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @CurrentAttempt() attempt: RequestAttempt | undefined,
  ): Promise<AnswerEnd> {
    const asked = { caller, request, reply, attempt };
    if (isInBackground(request)) return this.background.begin(asked);
    return this.chats.answer(asked, (sent, receivedAtMs) =>
      this.exchange.translate({
        sent,
        sentBytes: request.sentBytes,
        caller,
        attempt,
        requestId: request.id,
        headers: request.headers,
        receivedAtMs,
      }),
    );
  }

  @Get(':response_id')
  @OpenAiErrors()
  @ApiOperation({ summary: 'Get a response', description: 'A stored response of the account.' })
  @ApiOkResponse({ description: 'The response.', schema: RESPONSE_SCHEMA })
  @FailsWith('response_not_found')
  async retrieve(
    @Param() { response_id: id }: ResponseIdDto,
    @Query() _query: RetrieveResponseDto,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<object> {
    return (await this.responses.find(id, accountId)).response;
  }

  @Get(':response_id/input_items')
  @OpenAiErrors()
  @ApiOperation({
    summary: 'List the input items of a response',
    description: 'The items that its request sent, without the items of the responses before it.',
  })
  @ApiOkResponse({ type: InputItemsDto, description: 'A page of the input items.' })
  @FailsWith('response_not_found')
  async inputItems(
    @Param() { response_id: id }: ResponseIdDto,
    @Query() page: ItemPageDto,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<InputItemsDto> {
    return itemPage((await this.responses.find(id, accountId)).input, page);
  }

  @Post(':response_id/cancel')
  @HttpCode(200)
  @OpenAiErrors()
  @Idempotent()
  @ApiOperation({
    summary: 'Cancel a response',
    description:
      'Stops a response in the background, free of charge. One that has ended stays as it is. ' +
      'A response whose rig does not stop at once is `in_progress` until it does.',
  })
  @ApiOkResponse({ description: 'The response.', schema: RESPONSE_SCHEMA })
  @FailsWith('response_not_found', 'response_not_in_background')
  cancel(
    @Param() { response_id: id }: ResponseIdDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    return this.background.cancel(id, caller, request);
  }

  @Delete(':response_id')
  @HttpCode(200)
  @OpenAiErrors()
  @ApiOperation({
    summary: 'Delete a response',
    description:
      'It is gone at once, and its content is removed by the next sweep. A response that ' +
      'continues it can be retrieved, and not be continued.',
  })
  @ApiOkResponse({ type: DeletedResponseDto, description: 'The response is deleted.' })
  @FailsWith('response_not_found', 'response_unfinished')
  async delete(
    @Param() { response_id: id }: ResponseIdDto,
    @CurrentCaller() { accountId, userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<DeletedResponseDto> {
    await this.responses.delete(id, accountId, contextOf(request.id, `user:${userId}`));
    return { id, object: 'response', deleted: true };
  }
}
