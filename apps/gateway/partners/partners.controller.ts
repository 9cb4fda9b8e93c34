import {
  Body,
  Controller,
  Get,
  HttpCode,
  Inject,
  Post,
  Query,
  Req,
  UseGuards,
} from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { ChangePartnerCommand } from '#areas/partners/change-partner.handler.js';
import { CreateSubUserCommand } from '#areas/partners/create-sub-user.handler.js';
import { PartnerAccess } from '#areas/partners/partner-access.js';
import { PartnerOverviewQuery } from '#areas/partners/partner.queries.js';
import { SubUsersQuery } from '#areas/partners/sub-users.handler.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { insufficientRole } from '../identity/identity.failures.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Roles } from '../identity/roles.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { asOfOf } from '../time-travel/as-of.dto.js';
import {
  MarginsDto,
  NewSubUserDto,
  NewSubUserResultDto,
  PartnerOverviewDto,
  PartnerQueryDto,
  PartnerResultDto,
  SubUserListDto,
  SubUsersPageDto,
} from './partners.dto.js';
import {
  basisPointsOf,
  presentOverview,
  presentResult,
  presentSubUsers,
} from './partners.presenter.js';

/** The routes of a partner; an Admin uses them for any partner. */
@ApiTags('partners')
@Roles('Partner', 'Admin')
@Credentials('api-key', 'app-token')
@UseGuards(ApiGuard)
@Scope('read_billing')
@Controller('api/v1/partners')
export class PartnersController {
  constructor(
    private readonly access: PartnerAccess,
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get('overview.php')
  @ApiOperation({
    summary: 'A partner and its metrics',
    description:
      'The terms of the partner, its sub-users and rigs, and what it earned from charges up to ' +
      '`accrued_through`. With `asOf` it is as it was at that state of the log.',
  })
  @ApiOkResponse({ type: PartnerOverviewDto, description: 'The partner and its metrics.' })
  @FailsWith('partner_required', 'partner_not_assigned', 'partner_not_found')
  async overview(
    @CurrentCaller() caller: Caller,
    @Query() query: PartnerQueryDto,
  ): Promise<PartnerOverviewDto> {
    const partnerId = await this.access.shownTo(caller, query.partner_id);
    const overview = new PartnerOverviewQuery(partnerId, asOfOf(query));
    return presentOverview(await this.queries.execute(overview));
  }

  @Get('subusers.php')
  @ApiOperation({
    summary: 'The sub-users of a partner',
    description:
      'A page of the users who are or were sub-users, with their charges of that time. The ' +
      'e-mail address is shown while the user is a sub-user.',
  })
  @ApiOkResponse({ type: SubUserListDto, description: 'A page of sub-users.' })
  @FailsWith('partner_required', 'partner_not_assigned', 'partner_not_found')
  async subUsers(
    @CurrentCaller() caller: Caller,
    @Query() query: SubUsersPageDto,
  ): Promise<SubUserListDto> {
    const partnerId = await this.access.shownTo(caller, query.partner_id);
    const page = new SubUsersQuery(partnerId, query.page, query.limit, asOfOf(query));
    return presentSubUsers(query, await this.queries.execute(page));
  }

  @Post('subusers.php')
  @Scope('operate')
  @Idempotent()
  @ApiOperation({
    summary: 'Register a sub-user',
    description:
      'Registers a user with the role renter who belongs to the partner from the start. An ' +
      'existing user is added by an Admin.',
  })
  @ApiCreatedResponse({
    type: NewSubUserResultDto,
    description: 'The ids of the sub-user and of its partner.',
  })
  @FailsWith(
    'partner_required',
    'partner_not_assigned',
    'partner_not_found',
    'username_taken',
    'email_taken',
  )
  async addSubUser(
    @CurrentCaller() caller: Caller,
    @Body() { partner_id: asked, ...user }: NewSubUserDto,
    @Req() request: FastifyRequest,
  ): Promise<NewSubUserResultDto> {
    const partnerId = await this.access.partnerOf(caller, asked);
    const context = contextOf(request.id, `user:${caller.userId}`);
    const command = new CreateSubUserCommand({ ...user, partnerId }, context);
    const userId = await this.commands.execute(command);
    return { success: true, user_id: userId, partner_id: partnerId };
  }

  @Post('margins.php')
  @Scope('operate')
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({
    summary: 'Change the revenue share of a partner',
    description:
      'The share is in force for every charge that follows. A partner may set it up to ' +
      '`revenue_share_max_pct`, which only an Admin changes.',
  })
  @ApiOkResponse({ type: PartnerResultDto, description: 'The partner after the change.' })
  @FailsWith('partner_required', 'partner_not_assigned', 'partner_not_found', 'share_above_ceiling')
  async margins(
    @CurrentCaller() caller: Caller,
    @Body() body: MarginsDto,
    @Req() request: FastifyRequest,
  ): Promise<PartnerResultDto> {
    const { revenue_share_max_pct: most, revenue_share_pct: share } = body;
    if (most !== undefined && caller.role !== 'Admin') throw insufficientRole(['Admin']);
    const partnerId = await this.access.partnerOf(caller, body.partner_id);
    const data = {
      partnerId,
      revenueShareBasisPoints: basisPointsOf(share),
      revenueShareMaxBasisPoints: most === undefined ? null : basisPointsOf(most),
      changedAt: instant(this.clock),
    };
    const context = contextOf(request.id, `user:${caller.userId}`);
    const change = { type: 'ChangeRevenueShare', data } as const;
    await this.commands.execute(new ChangePartnerCommand(change, context));
    return presentResult(await this.queries.execute(new PartnerOverviewQuery(partnerId)));
  }
}
