import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Put,
  Req,
  UseGuards,
} from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import {
  GroupRulesQuery,
  type GroupRuleView,
  RemoveGroupRuleCommand,
  SetGroupRuleCommand,
} from '#areas/identity/openid/group-rules.handlers.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { AccountOwnerGuard } from './account-owner.guard.js';
import { callerContext } from './caller-context.js';
import { CurrentCaller } from './caller.decorator.js';
import {
  GroupRuleAnswerDto,
  GroupRuleIdDto,
  GroupRulesDto,
  SetGroupRuleDto,
} from './openid.dto.js';
import { Roles } from './roles.decorator.js';
import { Scope } from './scope.decorator.js';

/** From the groups of the OpenID provider to roles; an addition to the promised interface. */
@ApiTags('identity')
@Credentials('api-key', 'app-token', 'provider-token')
@Roles('Admin')
@UseGuards(AccountOwnerGuard)
@Scope('operate')
@Controller('api/v1/auth/oidc/rules')
export class GroupRulesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List the rules of groups',
    description: 'All of them, in the order in which they were set.',
  })
  @ApiOkResponse({ type: GroupRulesDto, description: 'The rules.' })
  async list(): Promise<GroupRulesDto> {
    const rules = await this.queries.execute(new GroupRulesQuery());
    return { success: true, rules: rules.map(presentRule) };
  }

  @Put()
  @ApiOperation({
    summary: 'Set the rule of a group',
    description:
      'Replaces the rule of the same group. Users get its role at their next sign-in, and the ' +
      'tokens of machines its scopes at once. Of several rules that match, the last role in the ' +
      'order renter, Partner, Investor, Admin applies, and the scopes and teams of all. A rule ' +
      'touches no membership that has another source.',
  })
  @ApiOkResponse({ type: GroupRuleAnswerDto, description: 'The rule.' })
  @FailsWith('oidc_not_configured', 'scope_not_allowed', 'too_many_group_rules')
  async set(
    @Body() { issuer, group, role, token_scopes: scopes, teams }: SetGroupRuleDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<GroupRuleAnswerDto> {
    const ofTeams = teams.map(({ team_id: teamId, role: ofTeam }) => ({ teamId, role: ofTeam }));
    const grant = {
      role,
      tokenScopes: [...scopes],
      ...(ofTeams.length > 0 && { teams: ofTeams }),
    };
    const data = { group, grant, ...(issuer !== undefined && { issuer }) };
    const command = new SetGroupRuleCommand(data, callerContext(request, caller));
    return { success: true, rule: presentRule(await this.commands.execute(command)) };
  }

  @Delete(':rule_id')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Remove the rule of a group',
    description:
      'Users lose its role at their next sign-in, and the tokens of machines its scopes at once.',
  })
  @ApiOkResponse({ type: GroupRuleAnswerDto, description: 'The rule as it was.' })
  @FailsWith('group_rule_not_found')
  async remove(
    @Param() { rule_id: id }: GroupRuleIdDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<GroupRuleAnswerDto> {
    const command = new RemoveGroupRuleCommand(id, callerContext(request, caller));
    return { success: true, rule: presentRule(await this.commands.execute(command)) };
  }
}

const presentRule = ({ id, issuer, group, grant }: GroupRuleView) => ({
  rule_id: id,
  issuer,
  group,
  role: grant.role,
  token_scopes: grant.tokenScopes,
  teams: (grant.teams ?? []).map(({ teamId, role }) => ({ team_id: teamId, role })),
});
