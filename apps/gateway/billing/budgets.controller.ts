import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Param,
  Put,
  Req,
  UseGuards,
} from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { type AccountCommand } from '#areas/billing/account.decider.js';
import { type BudgetChanger } from '#areas/billing/budgets/budget.rules.js';
import { type BudgetSubject } from '#areas/billing/budgets/budget.state.js';
import { BudgetsQuery } from '#areas/billing/budgets/budgets.handler.js';
import { ChangeAccountCommand } from '#areas/billing/change-account.handler.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { ListApiKeysQuery } from '#areas/identity/keys/list-api-keys.handler.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { TEXT_HASHER, type TextHasher } from '#platform/secrets/keyed-hasher.js';
import { callerContext } from '../identity/caller-context.js';
import { AccountOwnerGuard } from '../identity/account-owner.guard.js';
import { ApiKeyIdDto } from '../identity/api-keys.dto.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { endUserHash } from '../paid/body-labels.js';
import { BudgetListDto, EndUserDto, SetBudgetDto, TagDto } from './budgets.dto.js';
import { limitsOf, presentBudgets } from './budgets.presenter.js';

/** Limits of the spending of an account and its keys; an addition to the promised interface. */
@ApiTags('billing')
@Credentials('api-key', 'app-token', 'provider-token')
@UseGuards(AccountOwnerGuard)
@Scope('manage_money')
@Controller('api/v1/budgets')
export class BudgetsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(TEXT_HASHER) private readonly hash: TextHasher,
  ) {}

  @Get()
  @Scope('read_billing')
  @ApiOperation({
    summary: 'The budgets of the account, its keys, end users and tags',
    description: 'With what the current windows have taken, as the next hold sees it.',
  })
  @ApiOkResponse({ type: BudgetListDto, description: 'The budgets.' })
  list(@CurrentCaller() caller: Caller): Promise<BudgetListDto> {
    return this.#show(caller);
  }

  @Put('account')
  @ApiOperation({
    summary: 'Set the budget of the account',
    description:
      'Replaces all limits; one that is left out is lifted. What the day and the month have ' +
      'taken stays counted. A new budget counts from now on. A budget of the operator is changed ' +
      'by the operator only, one of the account above by that account. A key with a budget of ' +
      'its own changes no budget.',
  })
  @ApiOkResponse({ type: BudgetListDto, description: 'The budgets after the change.' })
  @FailsWith('budget_not_changeable', 'budget_without_limits')
  setOfAccount(
    @Body() body: SetBudgetDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<BudgetListDto> {
    return this.#set({}, body, caller, request);
  }

  @Delete('account')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Remove the budget of the account',
    description: 'The balance alone limits the account then.',
  })
  @ApiOkResponse({ type: BudgetListDto, description: 'The budgets after the change.' })
  @FailsWith('budget_not_changeable', 'budget_not_found')
  removeOfAccount(
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<BudgetListDto> {
    return this.#remove({}, caller, request);
  }

  @Put('keys/:id')
  @ApiOperation({
    summary: 'Set the budget of a key',
    description:
      'Like the budget of the account, for requests of one key. It stays with the key when the ' +
      'key is rotated.',
  })
  @ApiOkResponse({ type: BudgetListDto, description: 'The budgets after the change.' })
  @FailsWith(
    'budget_not_changeable',
    'budget_without_limits',
    'api_key_not_found',
    'too_many_budgets',
  )
  async setOfKey(
    @Param() { id }: ApiKeyIdDto,
    @Body() body: SetBudgetDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<BudgetListDto> {
    const key = await this.#activeLineOf(id, caller);
    if (key === undefined) throw new DomainError('api_key_not_found', 'there is no such key');
    return this.#set({ key }, body, caller, request);
  }

  @Delete('keys/:id')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Remove the budget of a key',
    description: 'The budget of a revoked key can be removed, too.',
  })
  @ApiOkResponse({ type: BudgetListDto, description: 'The budgets after the change.' })
  @FailsWith('budget_not_changeable', 'budget_not_found', 'api_key_not_found')
  async removeOfKey(
    @Param() { id }: ApiKeyIdDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<BudgetListDto> {
    const key = (await this.#activeLineOf(id, caller)) ?? id;
    return this.#remove({ key }, caller, request);
  }

  @Put('users/:user')
  @ApiOperation({
    summary: 'Set the budget of an end user',
    description:
      'Like the budget of the account, for requests that name this user (`safety_identifier`, ' +
      '`user` or `metadata.user_id`). The log has a hash of the name only, by which it is listed.',
  })
  @ApiOkResponse({ type: BudgetListDto, description: 'The budgets after the change.' })
  @FailsWith('budget_not_changeable', 'budget_without_limits', 'too_many_budgets')
  setOfUser(
    @Param() { user }: EndUserDto,
    @Body() body: SetBudgetDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<BudgetListDto> {
    return this.#set({ endUser: this.#endUserOf(user, caller) }, body, caller, request);
  }

  @Delete('users/:user')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Remove the budget of an end user',
    description: 'The other budgets and the balance limit the user then.',
  })
  @ApiOkResponse({ type: BudgetListDto, description: 'The budgets after the change.' })
  @FailsWith('budget_not_changeable', 'budget_not_found')
  removeOfUser(
    @Param() { user }: EndUserDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<BudgetListDto> {
    return this.#remove({ endUser: this.#endUserOf(user, caller) }, caller, request);
  }

  @Put('tags/:tag')
  @ApiOperation({
    summary: 'Set the budget of a tag',
    description:
      'Like the budget of the account, for requests with this tag. A request without the tag ' +
      'does not count: the limit of a key or an account cannot be left out.',
  })
  @ApiOkResponse({ type: BudgetListDto, description: 'The budgets after the change.' })
  @FailsWith('budget_not_changeable', 'budget_without_limits', 'too_many_budgets')
  setOfTag(
    @Param() { tag }: TagDto,
    @Body() body: SetBudgetDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<BudgetListDto> {
    return this.#set({ tag }, body, caller, request);
  }

  @Delete('tags/:tag')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Remove the budget of a tag',
    description: 'The other budgets and the balance limit its requests then.',
  })
  @ApiOkResponse({ type: BudgetListDto, description: 'The budgets after the change.' })
  @FailsWith('budget_not_changeable', 'budget_not_found')
  removeOfTag(
    @Param() { tag }: TagDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<BudgetListDto> {
    return this.#remove({ tag }, caller, request);
  }

  #set(
    subject: BudgetSubject,
    body: SetBudgetDto,
    caller: Caller,
    request: FastifyRequest,
  ): Promise<BudgetListDto> {
    const { accountId } = caller;
    const data = { accountId, ...subject, ...limitsOf(body), setAt: instant(this.clock) };
    return this.#change({ type: 'SetBudget', data, by: changerOf(caller) }, caller, request);
  }

  #remove(subject: BudgetSubject, caller: Caller, request: FastifyRequest): Promise<BudgetListDto> {
    const data = { accountId: caller.accountId, ...subject, removedAt: instant(this.clock) };
    return this.#change({ type: 'RemoveBudget', data, by: changerOf(caller) }, caller, request);
  }

  #endUserOf(user: string, { accountId }: Caller): string {
    return endUserHash(user, accountId, this.hash);
  }

  async #change(
    change: AccountCommand,
    caller: Caller,
    request: FastifyRequest,
  ): Promise<BudgetListDto> {
    const { userId, credential } = caller;
    const context = callerContext(request, { userId, credential });
    await this.commands.execute(new ChangeAccountCommand(change, context));
    return this.#show(caller);
  }

  async #show({ accountId }: Caller): Promise<BudgetListDto> {
    const budgets = await this.queries.execute(new BudgetsQuery(accountId));
    if (budgets.budgets.every(({ key }) => key === null)) return presentBudgets(budgets, new Map());
    const { keys } = await this.queries.execute(new ListApiKeysQuery(accountId));
    return presentBudgets(budgets, new Map(keys.map(({ lineage, id }) => [lineage, id])));
  }

  /** The id under which an active key counts. */
  async #activeLineOf(id: string, { accountId }: Caller): Promise<string | undefined> {
    const { keys } = await this.queries.execute(new ListApiKeysQuery(accountId));
    return keys.find((key) => key.id === id)?.lineage;
  }
}

const changerOf = ({ credential: { keyId: key } }: Caller): BudgetChanger => ({
  owner: 'account',
  key,
});
