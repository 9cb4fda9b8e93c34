import { Controller, Delete, Get, HttpCode, Param, Req, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { EndSessionsCommand } from '#areas/identity/sessions/end-sessions.handler.js';
import {
  ListSessionsQuery,
  type SessionsView,
} from '#areas/identity/sessions/list-sessions.handler.js';
import { RevokeSessionCommand } from '#areas/identity/sessions/revoke-session.handler.js';
import { UserId } from '#events/vocabulary.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { AccountOwnerGuard } from './account-owner.guard.js';
import { DoneDto } from './auth.dto.js';
import { callerContext } from './caller-context.js';
import { CurrentCaller } from './caller.decorator.js';
import { KeyOwnerGuard } from './key-owner.guard.js';
import { Roles } from './roles.decorator.js';
import { Scope } from './scope.decorator.js';
import {
  EndedSessionsDto,
  OpenSessionsDto,
  SessionIdDto,
  UserSessionIdDto,
} from './sessions.dto.js';
import { UserIdDto } from './users.dto.js';

const DONE: DoneDto = { success: true, message: 'The session has ended.' };

/** The sessions of the user; an addition to the promised interface. */
@ApiTags('identity')
@Credentials('api-key', 'app-token')
@UseGuards(KeyOwnerGuard)
@Scope('manage_keys')
@Controller('api/v1/auth/sessions')
export class SessionsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({ summary: 'List the open sessions', description: 'Newest first.' })
  @ApiOkResponse({ type: OpenSessionsDto, description: 'The open sessions.' })
  async list(@CurrentCaller() { userId }: Caller): Promise<OpenSessionsDto> {
    return presentSessions(await this.queries.execute(new ListSessionsQuery(userId)));
  }

  @Delete(':session_id')
  @HttpCode(200)
  @ApiOperation({
    summary: 'End a session',
    description: 'Its access token and its key become invalid at once.',
  })
  @ApiOkResponse({ type: DoneDto, description: 'The session has ended.' })
  @FailsWith('session_not_found')
  async end(
    @Param() { session_id: sessionId }: SessionIdDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<DoneDto> {
    const { userId } = caller;
    const context = callerContext(request, caller);
    await this.commands.execute(new RevokeSessionCommand({ sessionId, userId }, context));
    return DONE;
  }
}

/** The sessions of any user, for operators. */
@ApiTags('identity')
@Credentials('api-key', 'app-token', 'provider-token')
@Roles('Admin')
@UseGuards(AccountOwnerGuard)
@Scope('operate')
@Controller('api/v1/users/:user_id/sessions')
export class UserSessionsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({ summary: 'List the open sessions of a user', description: 'Newest first.' })
  @ApiOkResponse({ type: OpenSessionsDto, description: 'The open sessions.' })
  @FailsWith('user_not_found')
  async list(@Param() { user_id: userId }: UserIdDto): Promise<OpenSessionsDto> {
    const query = new ListSessionsQuery(UserId.parse(userId));
    return presentSessions(await this.queries.execute(query));
  }

  @Delete()
  @HttpCode(200)
  @ApiOperation({
    summary: 'End the sessions of a user',
    description: 'Their access tokens and keys become invalid at once; other keys stay valid.',
  })
  @ApiOkResponse({ type: EndedSessionsDto, description: 'The sessions have ended.' })
  @FailsWith('user_not_found')
  async endAll(
    @Param() { user_id: userId }: UserIdDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<EndedSessionsDto> {
    const command = new EndSessionsCommand(UserId.parse(userId), callerContext(request, caller));
    return { success: true, ended: await this.commands.execute(command) };
  }

  @Delete(':session_id')
  @HttpCode(200)
  @ApiOperation({
    summary: 'End a session of a user',
    description: 'Its access token and its key become invalid at once.',
  })
  @ApiOkResponse({ type: DoneDto, description: 'The session has ended.' })
  @FailsWith('session_not_found')
  async end(
    @Param() { user_id: userId, session_id: sessionId }: UserSessionIdDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<DoneDto> {
    const ended = { sessionId, userId: UserId.parse(userId) };
    const context = callerContext(request, caller);
    await this.commands.execute(new RevokeSessionCommand(ended, context));
    return DONE;
  }
}

const presentSessions = ({ sessions, position }: SessionsView): OpenSessionsDto => ({
  success: true,
  sessions: sessions.map((session) => ({
    session_id: session.sessionId,
    app_name: session.appName,
    device_info: session.deviceInfo,
    scopes: session.scopes,
    second_factor: session.secondFactor,
    started_at: session.startedAt,
    expires_at: session.expiresAt,
  })),
  position: position.toString(),
});
