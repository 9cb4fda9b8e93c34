import {
  Body,
  Controller,
  Get,
  HttpCode,
  Param,
  Post,
  Query,
  Req,
  UseGuards,
} from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { PayeeAccess } from '#areas/payouts/payee-access.js';
import {
  ApprovePayoutCommand,
  type PayoutRef,
  PayPayoutCommand,
  RejectPayoutCommand,
  RequestPayoutCommand,
} from '#areas/payouts/payout.handlers.js';
import { OpenPayoutsQuery, PayoutsQuery } from '#areas/payouts/payout.queries.js';
import { parseUsd } from '#platform/kernel/money.js';
import { type CommandContext, contextOf } from '#platform/runtime/commands/command-context.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Roles } from '../identity/roles.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { PageDto } from '../pages/page.dto.js';
import { asOfOf } from '../time-travel/as-of.dto.js';
import {
  ApprovalDto,
  NewPayoutDto,
  OpenPayoutListDto,
  PaymentDto,
  PayoutListDto,
  PayoutPathDto,
  PayoutResultDto,
  PayoutsPageDto,
  RejectionDto,
} from './payouts.dto.js';
import { presentOpenPayouts, presentPayouts } from './payouts.presenter.js';

/** Partners and investors ask for payouts of their earnings; an Admin approves and pays. */
@ApiTags('payouts')
@Credentials('api-key', 'app-token')
@UseGuards(ApiGuard)
@Scope('manage_money')
@Controller('api/v1/payouts')
export class PayoutsController {
  constructor(
    private readonly access: PayeeAccess,
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @Scope('read_billing')
  @Roles('Partner', 'Investor', 'Admin')
  @ApiOperation({
    summary: 'The payouts of a partner or investor',
    description: 'What is earned, asked for and paid, and a page of the payouts, newest first.',
  })
  @ApiOkResponse({ type: PayoutListDto, description: 'The payouts.' })
  @FailsWith('beneficiary_required', 'beneficiary_not_found')
  async list(
    @CurrentCaller() caller: Caller,
    @Query() query: PayoutsPageDto,
  ): Promise<PayoutListDto> {
    const beneficiary = await this.access.beneficiaryOf(caller, query.beneficiary);
    const page = new PayoutsQuery(beneficiary, query.page, query.limit, asOfOf(query));
    return presentPayouts(beneficiary, query, await this.queries.execute(page));
  }

  @Get('open')
  @Scope('read_billing')
  @Roles('Admin')
  @ApiOperation({
    summary: 'The payouts that wait for an Admin',
    description: 'Those that are requested or approved, oldest first.',
  })
  @ApiOkResponse({ type: OpenPayoutListDto, description: 'The open payouts.' })
  async open(@Query() query: PageDto): Promise<OpenPayoutListDto> {
    const page = new OpenPayoutsQuery(query.page, query.limit, asOfOf(query));
    return presentOpenPayouts(query, await this.queries.execute(page));
  }

  @Post()
  @Roles('Partner', 'Investor', 'Admin')
  @Idempotent()
  @ApiOperation({
    summary: 'Ask for a payout',
    description:
      'Of what is earned and not asked for yet. An Admin approves and pays it, and can also ask ' +
      'in the name of a beneficiary.',
  })
  @ApiCreatedResponse({
    type: PayoutResultDto,
    description: 'The payout, which waits for an Admin.',
  })
  @FailsWith(
    'beneficiary_required',
    'beneficiary_not_found',
    'payout_not_positive',
    'payout_above_accrued',
  )
  async request(
    @CurrentCaller() caller: Caller,
    @Body() { amount_usd: amount, beneficiary: asked }: NewPayoutDto,
    @Req() request: FastifyRequest,
  ): Promise<PayoutResultDto> {
    const beneficiary = await this.access.beneficiaryOf(caller, asked);
    const amountMicroUsd = amount === undefined ? null : parseUsd(amount);
    const context = contextBy(caller, request);
    const command = new RequestPayoutCommand(beneficiary, amountMicroUsd, context);
    return { success: true, beneficiary, payout_id: await this.commands.execute(command) };
  }

  @Post(':beneficiary/:payout_id/approve')
  @Roles('Admin')
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({
    summary: 'Approve a payout',
    description: 'Decides the tax that is withheld. What is earned must still cover the payout.',
  })
  @ApiOkResponse({ type: PayoutResultDto, description: 'The approved payout.' })
  @FailsWith('payout_not_found', 'payout_not_requested', 'country_unknown', 'region_unknown')
  async approve(
    @Param() path: PayoutPathDto,
    @Body() body: ApprovalDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<PayoutResultDto> {
    const tax = {
      country: body.country,
      incomeType: body.income_type,
      treatyClaimed: body.treaty_claimed,
    };
    const context = contextBy(caller, request);
    await this.commands.execute(new ApprovePayoutCommand(refOf(path), tax, context));
    return resultOf(path);
  }

  @Post(':beneficiary/:payout_id/reject')
  @Roles('Admin')
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({
    summary: 'Reject a payout',
    description: 'The amount can be asked for again. What is paid cannot be rejected.',
  })
  @ApiOkResponse({ type: PayoutResultDto, description: 'The rejected payout.' })
  @FailsWith('payout_not_found', 'payout_not_requested')
  async reject(
    @Param() path: PayoutPathDto,
    @Body() { reason }: RejectionDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<PayoutResultDto> {
    const context = contextBy(caller, request);
    await this.commands.execute(new RejectPayoutCommand(refOf(path), reason, context));
    return resultOf(path);
  }

  @Post(':beneficiary/:payout_id/pay')
  @Roles('Admin')
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({
    summary: 'Record that a payout was paid',
    description: 'Of an approved payout, once. The transfer itself is made at the bank.',
  })
  @ApiOkResponse({ type: PayoutResultDto, description: 'The paid payout.' })
  @FailsWith('payout_not_found', 'payout_not_approved', 'payout_already_paid')
  async pay(
    @Param() path: PayoutPathDto,
    @Body() { reference }: PaymentDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<PayoutResultDto> {
    const context = contextBy(caller, request);
    await this.commands.execute(new PayPayoutCommand(refOf(path), reference, context));
    return resultOf(path);
  }
}

const contextBy = ({ userId }: Caller, request: FastifyRequest): CommandContext =>
  contextOf(request.id, `user:${userId}`);

const refOf = ({ beneficiary, payout_id: payoutId }: PayoutPathDto): PayoutRef => ({
  beneficiary,
  payoutId,
});

const resultOf = ({ beneficiary, payout_id }: PayoutPathDto): PayoutResultDto => ({
  success: true,
  beneficiary,
  payout_id,
});
