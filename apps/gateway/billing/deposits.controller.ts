import { Body, Controller, HttpCode, Inject, Param, Post, Req, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { type AccountCommand } from '#areas/billing/account.decider.js';
import { ChangeAccountCommand } from '#areas/billing/change-account.handler.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { parseUsd, toDecimal, toUsd } from '#platform/kernel/money.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { callerContext } from '../identity/caller-context.js';
import { AccountIdDto } from '../fields/account-id.dto.js';
import { AccountOwnerGuard } from '../identity/account-owner.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Roles } from '../identity/roles.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import {
  CreateDepositDto,
  DepositAnswerDto,
  DepositPathDto,
  ReverseDepositDto,
} from './deposits.dto.js';

/** Money that an operator received for an account; an addition to the promised interface. */
@ApiTags('billing')
@Credentials('api-key', 'app-token', 'provider-token')
@Roles('Admin')
@UseGuards(AccountOwnerGuard)
@Scope('manage_money')
@Controller('api/v1/accounts/:account_id/deposits')
export class DepositsController {
  constructor(
    private readonly commands: CommandBus,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Credit an account with a payment',
    description: 'The id of the payment is credited once, however often the request is repeated.',
  })
  @ApiOkResponse({ type: DepositAnswerDto, description: 'The account after it.' })
  @FailsWith('account_not_found', 'amount_too_large', 'deposit_conflict')
  deposit(
    @Param() { account_id: accountId }: AccountIdDto,
    @Body() { deposit_id: depositId, amount_usd, reason }: CreateDepositDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<DepositAnswerDto> {
    const amountMicroUsd = toDecimal(parseUsd(amount_usd));
    const depositedAt = instant(this.clock);
    const terms = { accountId, depositId, amountMicroUsd, reason, depositedAt };
    const data = { ...terms, method: 'payment' } as const;
    return this.#change({ type: 'DepositFunds', data }, caller, request);
  }

  @Post(':deposit_id/reversals')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Take back a deposit whose payment was refunded or charged back',
    description:
      'The balance may be below zero afterwards, where the money was spent: then no paid request ' +
      'is admitted until a deposit covers it.',
  })
  @ApiOkResponse({ type: DepositAnswerDto, description: 'The account after it.' })
  @FailsWith('account_not_found', 'deposit_not_found', 'reversal_above_deposit')
  reverse(
    @Param() { account_id: accountId, deposit_id: depositId }: DepositPathDto,
    @Body() { kind, total_usd, reason }: ReverseDepositDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<DepositAnswerDto> {
    const totalMicroUsd = toDecimal(parseUsd(total_usd));
    const reversedAt = instant(this.clock);
    const data = { accountId, depositId, kind, totalMicroUsd, reason, reversedAt };
    return this.#change({ type: 'ReverseDeposit', data }, caller, request);
  }

  async #change(
    change: Extract<AccountCommand, { readonly type: 'DepositFunds' | 'ReverseDeposit' }>,
    { userId, credential }: Caller,
    request: FastifyRequest,
  ): Promise<DepositAnswerDto> {
    const context = callerContext(request, { userId, credential });
    const receipt = await this.commands.execute(new ChangeAccountCommand(change, context));
    return {
      success: true,
      account_id: change.data.accountId,
      deposit_id: change.data.depositId,
      changed: receipt.eventId !== null,
      available_usd: toUsd(receipt.availableMicroUsd),
      event_id: receipt.eventId,
    };
  }
}
