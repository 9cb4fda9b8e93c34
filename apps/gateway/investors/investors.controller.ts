import {
  Body,
  Controller,
  Delete,
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
import { Catalog } from '#areas/catalog/catalog.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import {
  AllocateRigShareCommand,
  EndRigShareCommand,
} from '#areas/investors/change-rig-share.handler.js';
import { InvestorAccess } from '#areas/investors/investor-access.js';
import {
  InvestorDashboardQuery,
  InvestorRigsQuery,
  InvestorRevenueQuery,
} from '#areas/investors/investor.queries.js';
import { type InvestorsErrorCode } from '#areas/investors/investors.errors.js';
import { RigThermals } from '#areas/investors/rig-thermals.js';
import { UserId } from '#events/vocabulary.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { parseUsd, toDecimal } from '#platform/kernel/money.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Roles } from '../identity/roles.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { asOfOf } from '../time-travel/as-of.dto.js';
import {
  AskedInvestorDto,
  InvestorDashboardDto,
  InvestorRigsDto,
  NewRigShareDto,
  RigSharePathDto,
  RigShareResultDto,
  RevenueListDto,
  RevenuePageDto,
} from './investors.dto.js';
import { presentDashboard, presentNodes, presentRevenuePage } from './investors.presenter.js';

const BASIS_POINTS_PER_PERCENT = 100;

/** The routes of an investor; an Admin uses them for any investor, and allocates shares. */
@ApiTags('investors')
@Roles('Investor', 'Admin')
@Credentials('api-key', 'app-token')
@UseGuards(ApiGuard)
@Scope('read_billing')
@Controller('api/v1/investor')
export class InvestorsController {
  constructor(
    private readonly access: InvestorAccess,
    private readonly catalog: Catalog,
    private readonly thermals: RigThermals,
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get('dashboard.php')
  @ApiOperation({
    summary: 'The portfolio of an investor, and its yield',
    description:
      'What the investor holds, and what it earned from charges up to `accrued_through`. With ' +
      '`asOf` it is as it was at that state of the log.',
  })
  @ApiOkResponse({ type: InvestorDashboardDto, description: 'The portfolio and its yield.' })
  @FailsWith('investor_not_found')
  async dashboard(
    @CurrentCaller() caller: Caller,
    @Query() query: AskedInvestorDto,
  ): Promise<InvestorDashboardDto> {
    const investorId = await this.access.investorOf(caller, query.investor_id);
    const dashboard = new InvestorDashboardQuery(investorId, asOfOf(query));
    return presentDashboard(await this.queries.execute(dashboard));
  }

  @Get('nodes.php')
  @ApiOperation({
    summary: 'The rigs of an investor',
    description:
      'The rigs of which the investor holds or held shares, with the temperatures that their ' +
      'workers report now.',
  })
  @ApiOkResponse({
    type: InvestorRigsDto,
    description: 'The rigs with the shares of the investor.',
  })
  @FailsWith('investor_not_found')
  async nodes(
    @CurrentCaller() caller: Caller,
    @Query() query: AskedInvestorDto,
  ): Promise<InvestorRigsDto> {
    const investorId = await this.access.investorOf(caller, query.investor_id);
    const nodes = new InvestorRigsQuery(investorId, asOfOf(query));
    const found = await this.queries.execute(nodes);
    const names = new Set(this.catalog.rigs().map(({ name }) => name));
    return presentNodes(investorId, found, (rig) => ({
      isInCatalog: names.has(rig),
      temperatures: this.thermals.of(rig),
    }));
  }

  @Get('revenue.php')
  @ApiOperation({
    summary: 'The daily revenue of an investor',
    description: 'A page of the earnings of each rig on each day in UTC, newest first.',
  })
  @ApiOkResponse({ type: RevenueListDto, description: 'A page of days.' })
  @FailsWith('investor_not_found')
  async revenue(
    @CurrentCaller() caller: Caller,
    @Query() query: RevenuePageDto,
  ): Promise<RevenueListDto> {
    const investorId = await this.access.investorOf(caller, query.investor_id);
    const page = new InvestorRevenueQuery(investorId, query.page, query.limit, asOfOf(query));
    return presentRevenuePage(investorId, query, await this.queries.execute(page));
  }

  @Post('allocations')
  @Scope('operate')
  @Roles('Admin')
  @Idempotent()
  @ApiOperation({
    summary: 'Allocate a share of a rig to an investor',
    description:
      'Only for an Admin. The share earns from the charges that follow. The shares of a rig are ' +
      'at most the whole rig.',
  })
  @ApiCreatedResponse({ type: RigShareResultDto, description: 'The share.' })
  @FailsWith('investor_not_found', 'node_not_in_catalog', 'node_oversold', 'purchase_in_future')
  async allocate(
    @Body() body: NewRigShareDto,
    @CurrentCaller() { userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<RigShareResultDto> {
    const { rig } = body;
    if (!this.catalog.rigs().some(({ name }) => name === rig)) throw notInCatalog(rig);
    const share = {
      rig,
      investorId: UserId.parse(body.investor_id),
      shareBasisPoints: Math.round(body.share_pct * BASIS_POINTS_PER_PERCENT),
      platformFeeBasisPoints: Math.round(body.platform_fee_pct * BASIS_POINTS_PER_PERCENT),
      gpus: body.gpus,
      purchasePriceMicroUsd: toDecimal(parseUsd(body.purchase_price_usd)),
      purchasedOn: body.purchased_on,
    };
    const context = contextOf(request.id, `user:${userId}`);
    const allocationId = await this.commands.execute(new AllocateRigShareCommand(share, context));
    return { success: true, allocation_id: allocationId };
  }

  @Delete('allocations/:rig/:allocation_id')
  @Scope('operate')
  @Roles('Admin')
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({
    summary: 'End a share of a rig',
    description: 'Only for an Admin. What the share has earned stays.',
  })
  @ApiOkResponse({ type: RigShareResultDto, description: 'The share after its end.' })
  @FailsWith('node_share_not_found')
  async end(
    @Param() { rig, allocation_id: allocationId }: RigSharePathDto,
    @CurrentCaller() { userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<RigShareResultDto> {
    const context = contextOf(request.id, `user:${userId}`);
    await this.commands.execute(new EndRigShareCommand({ rig, allocationId }, context));
    return { success: true, allocation_id: allocationId };
  }
}

const notInCatalog = (rig: string): DomainError =>
  new DomainError<InvestorsErrorCode>('node_not_in_catalog', `the catalog has no rig ${rig}`);
