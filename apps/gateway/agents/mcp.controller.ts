import { Body, Controller, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBody,
  ApiOkResponse,
  ApiOperation,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { callerContext } from '../identity/caller-context.js';
import { CurrentAttempt, type RequestAttempt } from '../idempotency/current-attempt.decorator.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { PaidSettler } from '../paid/paid.settler.js';
import { McpExchange } from './mcp-exchange.js';

const RPC = { type: 'object' as const, additionalProperties: true };
const EXAMPLE = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
const TOOL = { name: 'chat', description: 'Asks a model.', inputSchema: { type: 'object' } };
const ANSWER = { jsonrpc: '2.0', id: 1, result: { tools: [TOOL] } };

/** A failure that the protocol defines. */
const protocolError = (description: string, code: number) => {
  const error = { code, message: description };
  return { description, schema: { ...RPC, example: { jsonrpc: '2.0', id: 1, error } } };
};

/** The tools of this gateway for clients of the Model Context Protocol. */
@ApiTags('agents')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('api/v1/mcp')
export class McpController {
  constructor(private readonly exchange: McpExchange) {}

  @Post()
  @HttpCode(200)
  @Idempotent({ settle: PaidSettler })
  @ApiOperation({
    summary: 'Send a message of the Model Context Protocol',
    description:
      'Streamable HTTP without sessions, so that other methods get 405: `tools/list` and ' +
      '`tools/call`. A call of a tool that is ' +
      'not free is held before and charged after. A call that fails is free, and is an answer ' +
      'with `isError`.',
  })
  @ApiBody({ schema: { ...RPC, example: EXAMPLE }, description: 'A JSON-RPC message.' })
  @ApiOkResponse({ description: 'The JSON-RPC response.', schema: { ...RPC, example: ANSWER } })
  @ApiAcceptedResponse({ description: 'A notification, which has no response.' })
  @ApiResponse({ status: 404, ...protocolError('The server has no such method.', -32601) })
  @ApiResponse({ status: 406, ...protocolError('`Accept` must name JSON and events.', -32000) })
  @FailsWith('request_timed_out')
  async send(
    @Body() body: unknown,
    @CurrentCaller() caller: Caller,
    @CurrentAttempt() attempt: RequestAttempt | undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    const answer = await this.exchange.answer({
      caller,
      context: callerContext(request, caller),
      headers: headersOf(request),
      body,
      ...(attempt && { confirm: attempt.confirm }),
    });
    void reply.status(answer.status);
    return answer.body;
  }
}

const headersOf = ({ headers }: FastifyRequest): Headers => {
  const sent = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && !HOP_BY_HOP.has(name)) sent.set(name, value);
  }
  return sent;
};

/** The body is written again from its parsed value. */
const HOP_BY_HOP: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'host']);
