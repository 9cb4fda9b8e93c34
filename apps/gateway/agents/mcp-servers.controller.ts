import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Post,
  Req,
  UseGuards,
} from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import {
  AllowToolCommand,
  ApproveToolCommand,
  RefreshServerCommand,
  RemoveServerCommand,
} from '#areas/agents/registered-servers/change-server.handlers.js';
import { RegisterServerCommand } from '#areas/agents/registered-servers/register-server.handler.js';
import { RegisteredServersQuery } from '#areas/agents/registered-servers/servers.query.js';
import { type ServerCredentials } from '#areas/agents/registered-servers/server-secrets.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { callerContext } from '../identity/caller-context.js';
import { HttpFailure } from '../errors/http-failure.js';
import { DoneDto } from '../identity/auth.dto.js';
import { ApiKeyGuard } from '../identity/api-key.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import {
  ApproveMcpToolDto,
  McpServerAnswerDto,
  McpServerNameDto,
  McpServersDto,
  McpToolNameDto,
  RegisterMcpServerDto,
} from './mcp-servers.dto.js';
import { presentServer, presentServers } from './mcp-servers.presenter.js';

/** The MCP servers of the account; an addition to the promised interface. */
@ApiTags('agents')
@Credentials('api-key')
@UseGuards(ApiKeyGuard)
@Scope('manage_keys')
@Controller('api/v1/mcp/servers')
export class McpServersController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @Idempotent()
  @ApiOperation({
    summary: 'Register an MCP server',
    description:
      'Over Streamable HTTP. The server lists its tools at once; none of them can be called ' +
      'before it is allowed. The credentials are sealed, and no answer has them.',
  })
  @ApiCreatedResponse({ type: McpServerAnswerDto, description: 'The server with its tools.' })
  @FailsWith(
    'mcp_url_not_allowed',
    'mcp_server_exists',
    'too_many_mcp_servers',
    'mcp_list_too_large',
    'mcp_server_unavailable',
  )
  async register(
    @Body() body: RegisterMcpServerDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<McpServerAnswerDto> {
    const { accountId, userId } = caller;
    const { name, url } = body;
    const order = { accountId, userId, name, url, credentials: credentialsOf(body) };
    const command = new RegisterServerCommand(order, callerContext(request, caller));
    return presentServer(await this.commands.execute(command));
  }

  @Get()
  @Scope('inference')
  @ApiOperation({
    summary: 'List the MCP servers',
    description: 'With their tools as the account knows them. No server is asked.',
  })
  @ApiOkResponse({ type: McpServersDto, description: 'The servers of the account.' })
  async list(@CurrentCaller() { accountId }: Caller): Promise<McpServersDto> {
    return presentServers(await this.queries.execute(new RegisteredServersQuery(accountId)));
  }

  @Delete(':server')
  @HttpCode(200)
  @ApiOperation({ summary: 'Remove an MCP server', description: 'Its tools are called no more.' })
  @ApiOkResponse({ type: DoneDto, description: 'The server is removed.' })
  @FailsWith('mcp_server_not_found')
  async remove(
    @Param() { server }: McpServerNameDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<DoneDto> {
    const { accountId } = caller;
    const context = callerContext(request, caller);
    await this.commands.execute(new RemoveServerCommand({ accountId, server }, context));
    return { success: true, message: 'The server was removed.' };
  }

  @Post(':server/refresh')
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({
    summary: 'List the tools of an MCP server again',
    description:
      'The answer has the descriptions as they are now. A tool whose description changed is put ' +
      'into quarantine.',
  })
  @ApiOkResponse({ type: McpServerAnswerDto, description: 'The server with its tools.' })
  @FailsWith('mcp_server_not_found', 'mcp_list_too_large', 'mcp_server_unavailable')
  async refresh(
    @Param() { server }: McpServerNameDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<McpServerAnswerDto> {
    const { accountId } = caller;
    const context = callerContext(request, caller);
    const command = new RefreshServerCommand({ accountId, server }, context);
    return presentServer(await this.commands.execute(command));
  }

  @Post(':server/tools/:tool/allow')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Allow a tool of an MCP server',
    description: 'From then on agents and MCP clients of the account may call it.',
  })
  @ApiOkResponse({ type: DoneDto, description: 'The tool is allowed.' })
  @FailsWith('mcp_server_not_found', 'mcp_tool_not_found', 'mcp_tool_quarantined')
  async allow(
    @Param() of: McpToolNameDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<DoneDto> {
    await this.#allow(true, of, caller, request);
    return { success: true, message: 'The tool is allowed.' };
  }

  @Post(':server/tools/:tool/forbid')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Forbid a tool of an MCP server',
    description: 'It is called no more.',
  })
  @ApiOkResponse({ type: DoneDto, description: 'The tool is forbidden.' })
  @FailsWith('mcp_server_not_found', 'mcp_tool_not_found')
  async forbid(
    @Param() of: McpToolNameDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<DoneDto> {
    await this.#allow(false, of, caller, request);
    return { success: true, message: 'The tool is forbidden.' };
  }

  @Post(':server/tools/:tool/approve')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Approve a tool whose description changed',
    description:
      'Ends its quarantine. The digest is of the description that was read; the server is asked ' +
      'whether it still has that one.',
  })
  @ApiOkResponse({ type: DoneDto, description: 'The tool is approved.' })
  @FailsWith(
    'mcp_server_not_found',
    'mcp_tool_not_found',
    'mcp_schema_changed',
    'mcp_list_too_large',
    'mcp_server_unavailable',
  )
  async approve(
    @Param() { server, tool }: McpToolNameDto,
    @Body() { schema_sha256: sha256 }: ApproveMcpToolDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<DoneDto> {
    const of = { accountId: caller.accountId, server, tool };
    const context = callerContext(request, caller);
    await this.commands.execute(new ApproveToolCommand(of, sha256, context));
    return { success: true, message: 'The tool is approved.' };
  }

  async #allow(
    isAllowed: boolean,
    { server, tool }: McpToolNameDto,
    caller: Caller,
    request: FastifyRequest,
  ): Promise<void> {
    const of = { accountId: caller.accountId, server, tool };
    const context = callerContext(request, caller);
    await this.commands.execute(new AllowToolCommand(of, isAllowed, context));
  }
}

/** @throws HttpFailure 400 for two of them */
const credentialsOf = ({
  bearer_token: token,
  oauth,
}: RegisterMcpServerDto): ServerCredentials | null => {
  if (oauth && token !== undefined) {
    const message = 'oauth: expected none beside bearer_token, received both';
    throw new HttpFailure({ status: 400, code: 'invalid_request', message, param: 'oauth' });
  }
  if (oauth) {
    const { issuer, client_id: clientId, client_secret: clientSecret } = oauth;
    return { kind: 'oauth', issuer, clientId, clientSecret };
  }
  return token === undefined ? null : { kind: 'bearer', token };
};
