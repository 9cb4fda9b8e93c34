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
import { type Caller } from '#areas/identity/authentication/caller.js';
import { IssueApiKeyCommand } from '#areas/identity/keys/issue-api-key.handler.js';
import { ListApiKeysQuery } from '#areas/identity/keys/list-api-keys.handler.js';
import { RotateApiKeyCommand } from '#areas/identity/keys/rotate-api-key.handler.js';
import { RevokeApiKeyCommand } from '#areas/identity/keys/revoke-api-key.handler.js';
import { demandKeyOf, TeamAccessQuery } from '#areas/teams/team-access.query.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { AccountOwnerGuard } from '../identity/account-owner.guard.js';
import { NewApiKeyDto, RotateApiKeyDto } from '../identity/api-keys.dto.js';
import { DoneDto } from '../identity/auth.dto.js';
import { presentKey, presentNewKey } from '../identity/auth.presenter.js';
import { callerContext } from '../identity/caller-context.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { KeyOwnerGuard } from '../identity/key-owner.guard.js';
import { changeOf } from '../identity/policy-change.js';
import { Scope } from '../identity/scope.decorator.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { IssueTeamKeyDto, TeamIdDto, TeamKeyIdDto, TeamKeysDto } from './teams.dto.js';

/** The keys that act for a team; an addition to the promised interface. */
@ApiTags('teams')
@Credentials('api-key', 'app-token')
@Scope('manage_keys')
@Controller('api/v1/teams/:team_id/keys')
export class TeamKeysController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @UseGuards(AccountOwnerGuard)
  @ApiOperation({
    summary: 'List the keys of a team',
    description: 'The active keys of its members, newest first.',
  })
  @ApiOkResponse({ type: TeamKeysDto, description: 'The keys, without their secrets.' })
  @FailsWith('team_not_found')
  async list(
    @Param() { team_id: teamId }: TeamIdDto,
    @CurrentCaller() caller: Caller,
  ): Promise<TeamKeysDto> {
    await this.queries.execute(new TeamAccessQuery(teamId, caller));
    const { keys, position } = await this.queries.execute(new ListApiKeysQuery(teamId));
    return {
      success: true,
      keys: keys.map((key) => ({ ...presentKey(key), user_id: key.userId })),
      position: position.toString(),
    };
  }

  @Post()
  @Idempotent()
  @UseGuards(KeyOwnerGuard)
  @ApiOperation({
    summary: 'Issue a key of a team',
    description:
      'A member asks with a credential of its own account. Requests with the key are of the ' +
      'account of the team. It has no scope that the role of the member lacks, now or later, and ' +
      'none that the credential lacks; without `scopes` it has all of both. It ends with the ' +
      'membership.',
  })
  @ApiCreatedResponse({
    type: NewApiKeyDto,
    description: 'The key with its secret, which is shown once.',
  })
  @FailsWith(
    'team_not_found',
    'membership_ended',
    'api_key_limited',
    'too_many_api_keys',
    'policy_too_wide',
    'invalid_ip_range',
    'expiry_past',
  )
  async issue(
    @Param() { team_id: teamId }: TeamIdDto,
    @Body() { name, with_session: isOfSession, ...body }: IssueTeamKeyDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<NewApiKeyDto> {
    const { userId, credential } = caller;
    const { member } = await this.queries.execute(new TeamAccessQuery(teamId, caller));
    if (!member) throw new DomainError('membership_ended', 'the user is no member of the team');
    const { policy, endsAt: expiresAt } = changeOf(body);
    const key = {
      ...({ userId, name, policy, keyKind: 'user', issuer: credential } as const),
      membership: { teamId, memberId: member.memberId },
      sessionId: isOfSession ? (credential.sessionId ?? null) : null,
      ...(expiresAt !== undefined && { expiresAt }),
    };
    const command = new IssueApiKeyCommand(key, callerContext(request, caller));
    return presentNewKey(await this.commands.execute(command));
  }

  @Post(':key_id/rotate')
  @Idempotent()
  @UseGuards(KeyOwnerGuard)
  @ApiOperation({
    summary: 'Replace a key of a team',
    description:
      'A member replaces its own keys, with a credential of its own account. The new key has the ' +
      'same name and policy. The old key becomes invalid at once, or after `overlap_seconds`.',
  })
  @ApiCreatedResponse({
    type: NewApiKeyDto,
    description: 'The new key with its secret, which is shown once.',
  })
  @FailsWith('team_not_found', 'api_key_limited', 'api_key_not_found', 'policy_too_wide')
  async rotate(
    @Param() { team_id: teamId, key_id: keyId }: TeamKeyIdDto,
    @Body() { overlap_seconds: overlapSeconds }: RotateApiKeyDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<NewApiKeyDto> {
    await this.queries.execute(new TeamAccessQuery(teamId, caller));
    const { userId, credential: issuer } = caller;
    const rotation = { userId, teamId, keyId, issuer, overlapSeconds };
    const command = new RotateApiKeyCommand(rotation, callerContext(request, caller));
    return presentNewKey(await this.commands.execute(command));
  }

  @Delete(':key_id')
  @HttpCode(200)
  @UseGuards(AccountOwnerGuard)
  @ApiOperation({
    summary: 'Revoke a key of a team',
    description: 'An owner or admin revokes each, and a member its own.',
  })
  @ApiOkResponse({ type: DoneDto, description: 'The key is revoked.' })
  @FailsWith('team_not_found', 'team_role_missing', 'api_key_not_found')
  async revoke(
    @Param() { team_id: teamId, key_id: keyId }: TeamKeyIdDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<DoneDto> {
    const access = await this.queries.execute(new TeamAccessQuery(teamId, caller));
    const { keys } = await this.queries.execute(new ListApiKeysQuery(teamId));
    const found = keys.find(({ id }) => id === keyId);
    if (!found) throw new DomainError('api_key_not_found', 'there is no such key');
    demandKeyOf(access, found.userId);
    const context = callerContext(request, caller);
    await this.commands.execute(new RevokeApiKeyCommand({ owner: teamId, keyId }, context));
    return { success: true, message: 'The key was revoked.' };
  }
}
