import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Put,
  Query,
  Req,
  UseGuards,
} from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { type AccountCommand } from '#areas/billing/account.decider.js';
import { BudgetsQuery } from '#areas/billing/budgets/budgets.handler.js';
import { ChangeAccountCommand } from '#areas/billing/change-account.handler.js';
import { Authenticator } from '#areas/identity/authentication/authenticator.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { AllotCommand } from '#areas/teams/allot.handlers.js';
import { CloseTeamCommand } from '#areas/teams/close-team.handlers.js';
import { CreateTeamCommand } from '#areas/teams/create-team.handler.js';
import { demandAbove, demandOwnerAbove, TeamAccessQuery } from '#areas/teams/team-access.query.js';
import { TeamQuery, TeamsQuery } from '#areas/teams/team.queries.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { parseUsd, toDecimal } from '#platform/kernel/money.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { BudgetListDto, SetBudgetDto } from '../billing/budgets.dto.js';
import { limitsOf, presentBudgets } from '../billing/budgets.presenter.js';
import { AccountOwnerGuard } from '../identity/account-owner.guard.js';
import { callerContext } from '../identity/caller-context.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import {
  AllotDto,
  CreateTeamDto,
  ListTeamsDto,
  TeamAnswerDto,
  TeamFundsAnswerDto,
  TeamIdDto,
  TeamsDto,
} from './teams.dto.js';
import { presentDetails, presentFunds, presentTeams } from './teams.presenter.js';

/** Teams and their money; an addition to the promised interface. */
@ApiTags('teams')
@Credentials('api-key', 'app-token', 'provider-token')
@UseGuards(AccountOwnerGuard)
@Scope('manage_money')
@Controller('api/v1/teams')
export class TeamsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly authenticator: Authenticator,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  @Scope('read_billing')
  @ApiOperation({
    summary: 'List teams',
    description:
      'The teams directly below the account, and the teams of which the user is a member.',
  })
  @ApiOkResponse({ type: TeamsDto, description: 'The teams.' })
  async list(
    @Query() { include_closed: includesClosed }: ListTeamsDto,
    @CurrentCaller() caller: Caller,
  ): Promise<TeamsDto> {
    const query = new TeamsQuery(caller, includesClosed === 'true');
    return presentTeams(await this.queries.execute(query));
  }

  @Post()
  @Idempotent()
  @Scope('manage_keys')
  @ApiOperation({
    summary: 'Create a team or project',
    description:
      'A sub-account of the account that asks, with no money. The user is its first owner. A key ' +
      'of a team creates a team below that team.',
  })
  @ApiCreatedResponse({ type: TeamAnswerDto, description: 'The team.' })
  @FailsWith('too_many_sub_accounts', 'tree_too_deep', 'account_closed')
  async create(
    @Body() { name }: CreateTeamDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<TeamAnswerDto> {
    const { accountId, userId } = caller;
    const context = callerContext(request, caller);
    const command = new CreateTeamCommand({ accountId, userId, name }, context);
    const { teamId } = await this.commands.execute(command);
    return this.#show(teamId);
  }

  @Get(':team_id')
  @Scope('read_billing')
  @ApiOperation({
    summary: 'Get a team',
    description: 'For its members and the accounts above it.',
  })
  @ApiOkResponse({ type: TeamAnswerDto, description: 'The team with its members.' })
  @FailsWith('team_not_found')
  async find(
    @Param() { team_id: teamId }: TeamIdDto,
    @CurrentCaller() caller: Caller,
  ): Promise<TeamAnswerDto> {
    await this.queries.execute(new TeamAccessQuery(teamId, caller));
    return this.#show(teamId);
  }

  @Post(':team_id/close')
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({
    summary: 'Close a team',
    description:
      'An owner of an account above closes it, once its running work has ended and the teams ' +
      'below it are closed. Its free money goes to the account directly above, its members, ' +
      'invitations and keys end at once, and its history stays. A team is not opened again. ' +
      'Money that comes later, such as a credit, is returned by another close.',
  })
  @ApiOkResponse({ type: TeamAnswerDto, description: 'The closed team.' })
  @FailsWith(
    'team_not_found',
    'team_role_missing',
    'holds_open',
    'sub_accounts_open',
    'account_overdrawn',
  )
  async close(
    @Param() { team_id: teamId }: TeamIdDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<TeamAnswerDto> {
    demandOwnerAbove(await this.queries.execute(new TeamAccessQuery(teamId, caller)), caller);
    await this.commands.execute(new CloseTeamCommand(teamId, callerContext(request, caller)));
    this.authenticator.invalidate();
    return this.#show(teamId);
  }

  @Post(':team_id/allotments')
  @Idempotent()
  @ApiOperation({
    summary: 'Give a team money',
    description:
      'Moves money from the account directly above, which asks. The team spends no more than it ' +
      'was given.',
  })
  @ApiCreatedResponse({ type: TeamFundsAnswerDto, description: 'The money of the team.' })
  @FailsWith('team_not_found', 'account_closed', 'allotment_above_available', 'amount_too_large')
  allot(
    @Param() { team_id: teamId }: TeamIdDto,
    @Body() body: AllotDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<TeamFundsAnswerDto> {
    return this.#move('down', teamId, body, caller, request);
  }

  @Post(':team_id/take_backs')
  @Idempotent()
  @ApiOperation({
    summary: 'Take money back from a team',
    description: 'As much as the team has not spent and running requests do not hold.',
  })
  @ApiCreatedResponse({ type: TeamFundsAnswerDto, description: 'The money of the team.' })
  @FailsWith('team_not_found', 'allotment_above_available', 'amount_too_large')
  takeBack(
    @Param() { team_id: teamId }: TeamIdDto,
    @Body() body: AllotDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<TeamFundsAnswerDto> {
    return this.#move('up', teamId, body, caller, request);
  }

  @Put(':team_id/budget')
  @ApiOperation({
    summary: 'Set the budget of a team',
    description:
      'As the budget of an account, but set by an account above: the team can neither lift nor ' +
      'widen it.',
  })
  @ApiOkResponse({ type: BudgetListDto, description: 'The budgets of the team.' })
  @FailsWith(
    'team_not_found',
    'team_role_missing',
    'budget_not_changeable',
    'budget_without_limits',
    'too_many_budgets',
  )
  setBudget(
    @Param() { team_id: accountId }: TeamIdDto,
    @Body() body: SetBudgetDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<BudgetListDto> {
    const data = { accountId, ...limitsOf(body), setAt: instant(this.clock) };
    return this.#limit({ type: 'SetBudget', data, by: { owner: 'parent' } }, caller, request);
  }

  @Delete(':team_id/budget')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Remove the budget of a team',
    description: 'The allotment alone limits the team then.',
  })
  @ApiOkResponse({ type: BudgetListDto, description: 'The budgets of the team.' })
  @FailsWith('team_not_found', 'team_role_missing', 'budget_not_changeable', 'budget_not_found')
  removeBudget(
    @Param() { team_id: accountId }: TeamIdDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<BudgetListDto> {
    const data = { accountId, removedAt: instant(this.clock) };
    return this.#limit({ type: 'RemoveBudget', data, by: { owner: 'parent' } }, caller, request);
  }

  async #show(teamId: string): Promise<TeamAnswerDto> {
    const team = await this.queries.execute(new TeamQuery(teamId));
    return { success: true, team: presentDetails(team) };
  }

  async #move(
    direction: 'down' | 'up',
    teamId: string,
    { amount_usd, reason }: AllotDto,
    caller: Caller,
    request: FastifyRequest,
  ): Promise<TeamFundsAnswerDto> {
    const access = await this.queries.execute(new TeamAccessQuery(teamId, caller));
    const { accountId } = caller;
    const amountMicroUsd = toDecimal(parseUsd(amount_usd));
    const data = { direction, amountMicroUsd, reason };
    const context = callerContext(request, caller);
    const funds = await this.commands.execute(
      new AllotCommand({ ...access, accountId }, data, context),
    );
    return { success: true, funds: presentFunds(funds) };
  }

  async #limit(
    change: Extract<AccountCommand, { readonly type: 'SetBudget' | 'RemoveBudget' }>,
    caller: Caller,
    request: FastifyRequest,
  ): Promise<BudgetListDto> {
    const { accountId } = change.data;
    demandAbove(await this.queries.execute(new TeamAccessQuery(accountId, caller)));
    await this.commands.execute(new ChangeAccountCommand(change, callerContext(request, caller)));
    return presentBudgets(await this.queries.execute(new BudgetsQuery(accountId)), new Map());
  }
}
