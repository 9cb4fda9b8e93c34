import { Body, Controller, Get, HttpCode, Param, Post, Req, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { RemoteRequests } from '#areas/dtn/remote/remote-requests.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { callerContext } from '../identity/caller-context.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { readerOf } from '../identity/reader.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { presentRemoteRequest } from './dtn.presenter.js';
import { GrantKeyDto, RemoteAnswerDto, RemoteOrderDto } from './remote-requests.dto.js';

/** Paid requests that other nodes carry out while they are disconnected. */
@ApiTags('dtn')
@Credentials('api-key', 'app-token', 'renter-key')
@Scope('inference')
@UseGuards(ApiGuard)
@Controller('api/v1/dtn')
export class RemoteRequestsController {
  constructor(private readonly requests: RemoteRequests) {}

  @Post('requests')
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({
    summary: 'Ask a remote node',
    description:
      'Holds the upper price of a chat and sends it as a bundle with the signed hold. The node ' +
      'answers with its own model, without a connection, and its signed receipt settles the ' +
      'hold when it comes. Without one in time the money is freed. The custody of the bundle ' +
      'has its own price.',
  })
  @ApiOkResponse({ type: RemoteAnswerDto, description: 'The request.' })
  @FailsWith(
    'remote_node_unknown',
    'remote_not_stored',
    'dtn_payload_invalid',
    'dtn_not_priced',
    'insufficient_balance',
    'budget_exceeded',
    'too_many_waiting_bundles',
    'orbit_busy',
    'orbit_unavailable',
    'orbit_failed',
  )
  async place(
    @Body() body: RemoteOrderDto,
    @CurrentCaller() { accountId, userId, credential }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<RemoteAnswerDto> {
    const order = {
      ...{ accountId, userId, node: body.node, priority: body.priority },
      messages: body.messages.map(({ role, content }) => ({ role, content })),
      ...{ maxTokens: body.max_tokens, lifetimeSec: body.lifetime_seconds },
    };
    const context = callerContext(request, { userId, credential });
    return presentRemoteRequest(await this.requests.place(order, context));
  }

  @Get('requests/:id')
  @ApiOperation({
    summary: 'Get a remote request',
    description: 'With its answer, once the receipt has come.',
  })
  @ApiParam({ name: 'id', description: 'The id of the request.' })
  @ApiOkResponse({ type: RemoteAnswerDto, description: 'The request.' })
  @FailsWith('remote_request_not_found')
  async find(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<RemoteAnswerDto> {
    return presentRemoteRequest(await this.requests.find(id, readerOf(caller)));
  }

  @Get('grant-key')
  @ApiOperation({
    summary: 'Get the key of grants',
    description: 'A remote node that has it carries out the paid requests of this installation.',
  })
  @ApiOkResponse({ type: GrantKeyDto, description: 'The public key.' })
  key(): GrantKeyDto {
    return { success: true, public_key: this.requests.publicKey() };
  }
}
