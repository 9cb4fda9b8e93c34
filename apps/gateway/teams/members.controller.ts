import {
  Body,
  Controller,
  Delete,
  HttpCode,
  Param,
  Post,
  Put,
  Req,
  UseGuards,
} from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { Authenticator } from '#areas/identity/authentication/authenticator.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import {
  AcceptInvitationCommand,
  InviteMemberCommand,
  WithdrawInvitationCommand,
} from '#areas/teams/invitations.handlers.js';
import { ChangeMemberRoleCommand, RemoveMemberCommand } from '#areas/teams/members.handlers.js';
import { TeamAccessQuery } from '#areas/teams/team-access.query.js';
import { TeamQuery } from '#areas/teams/team.queries.js';
import { AccountOwnerGuard } from '../identity/account-owner.guard.js';
import { DoneDto } from '../identity/auth.dto.js';
import { callerContext } from '../identity/caller-context.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { KeyOwnerGuard } from '../identity/key-owner.guard.js';
import { Scope } from '../identity/scope.decorator.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import {
  AcceptInvitationDto,
  InvitationIdDto,
  InviteMemberDto,
  NewInvitationDto,
  SetMemberRoleDto,
  TeamAnswerDto,
  TeamIdDto,
  TeamMemberIdDto,
} from './teams.dto.js';
import { presentDetails } from './teams.presenter.js';

/** The members of teams; an addition to the promised interface. */
@ApiTags('teams')
@Credentials('api-key', 'app-token')
@Scope('manage_keys')
@Controller('api/v1/teams')
export class MembersController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly authenticator: Authenticator,
  ) {}

  @Post('invitations/accept')
  @HttpCode(200)
  @UseGuards(KeyOwnerGuard)
  @ApiOperation({
    summary: 'Accept an invitation',
    description:
      'The user of the credential becomes a member of the team. A token is accepted once. A key ' +
      'of a team does not accept invitations.',
  })
  @ApiOkResponse({ type: TeamAnswerDto, description: 'The team.' })
  @FailsWith('invalid_invitation', 'already_member', 'too_many_members')
  async accept(
    @Body() { token }: AcceptInvitationDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<TeamAnswerDto> {
    const context = callerContext(request, caller);
    const command = new AcceptInvitationCommand(token, caller.userId, context);
    const { teamId } = await this.commands.execute(command);
    const team = await this.queries.execute(new TeamQuery(teamId));
    return { success: true, team: presentDetails(team) };
  }

  @Post(':team_id/invitations')
  @Idempotent()
  @UseGuards(AccountOwnerGuard)
  @ApiOperation({
    summary: 'Invite a member',
    description:
      'An owner or admin hands the token over. It makes one user a member, and the answer is the ' +
      'only one that has it. Only an owner, or an account above, invites owners.',
  })
  @ApiCreatedResponse({ type: NewInvitationDto, description: 'The invitation with its token.' })
  @FailsWith(
    'team_not_found',
    'team_closed',
    'team_role_missing',
    'too_many_members',
    'too_many_invitations',
  )
  async invite(
    @Param() { team_id: teamId }: TeamIdDto,
    @Body() { role, expires_in_hours: hours }: InviteMemberDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<NewInvitationDto> {
    const access = await this.queries.execute(new TeamAccessQuery(teamId, caller));
    const context = callerContext(request, caller);
    const command = new InviteMemberCommand(access, { role, hours }, context);
    const { token, invitationId, expiresAt } = await this.commands.execute(command);
    const invitation = { invitation_id: invitationId, role, expires_at: expiresAt };
    return { success: true, token, invitation };
  }

  @Delete(':team_id/invitations/:invitation_id')
  @HttpCode(200)
  @UseGuards(AccountOwnerGuard)
  @ApiOperation({
    summary: 'Withdraw an invitation',
    description: 'Its token is not accepted any more.',
  })
  @ApiOkResponse({ type: DoneDto, description: 'The invitation is withdrawn.' })
  @FailsWith('team_not_found', 'team_role_missing', 'invitation_not_found')
  async withdraw(
    @Param() { team_id: teamId, invitation_id: invitationId }: InvitationIdDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<DoneDto> {
    const access = await this.queries.execute(new TeamAccessQuery(teamId, caller));
    const context = callerContext(request, caller);
    await this.commands.execute(new WithdrawInvitationCommand(access, invitationId, context));
    return { success: true, message: 'The invitation was withdrawn.' };
  }

  @Put(':team_id/members/:member_id')
  @UseGuards(AccountOwnerGuard)
  @ApiOperation({
    summary: 'Change the role of a member',
    description: 'The keys of the member have the scopes of the role at once.',
  })
  @ApiOkResponse({ type: DoneDto, description: 'The member has the role.' })
  @FailsWith('team_not_found', 'team_role_missing', 'member_not_found')
  async setRole(
    @Param() { team_id: teamId, member_id: memberId }: TeamMemberIdDto,
    @Body() { role }: SetMemberRoleDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<DoneDto> {
    const access = await this.queries.execute(new TeamAccessQuery(teamId, caller));
    const context = callerContext(request, caller);
    await this.commands.execute(new ChangeMemberRoleCommand(access, { memberId, role }, context));
    this.authenticator.invalidate();
    return { success: true, message: 'The member has the role.' };
  }

  @Delete(':team_id/members/:member_id')
  @HttpCode(200)
  @UseGuards(AccountOwnerGuard)
  @ApiOperation({
    summary: 'Remove a member',
    description:
      'The keys of the member for this team are invalid at once, also in its sessions. A member ' +
      'may remove itself.',
  })
  @ApiOkResponse({ type: DoneDto, description: 'The user is no member any more.' })
  @FailsWith('team_not_found', 'team_role_missing', 'member_not_found')
  async remove(
    @Param() { team_id: teamId, member_id: memberId }: TeamMemberIdDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<DoneDto> {
    const access = await this.queries.execute(new TeamAccessQuery(teamId, caller));
    const context = callerContext(request, caller);
    await this.commands.execute(new RemoveMemberCommand(access, memberId, context));
    this.authenticator.invalidate();
    return { success: true, message: 'The user is no member any more.' };
  }
}
