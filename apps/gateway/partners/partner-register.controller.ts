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
import { Catalog } from '#areas/catalog/catalog.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { ChangeFleetCommand } from '#areas/partners/change-fleet.handler.js';
import {
  JoinPartnerCommand,
  LeavePartnerCommand,
} from '#areas/partners/change-membership.handler.js';
import { ChangePartnerCommand } from '#areas/partners/change-partner.handler.js';
import { PartnerAccess } from '#areas/partners/partner-access.js';
import { PartnerOverviewQuery, PartnersQuery } from '#areas/partners/partner.queries.js';
import { type PartnersErrorCode } from '#areas/partners/partners.errors.js';
import { RegisterPartnerCommand } from '#areas/partners/register-partner.handler.js';
import { type Capacity, PartnerId } from '#events/partners/partner.vocabulary.js';
import { UserId } from '#events/vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type CommandContext, contextOf } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
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
  NewPartnerDto,
  PartnerListDto,
  PartnerPathDto,
  PartnerProfileDto,
  PartnerResultDto,
  PartnerRigPathDto,
  PartnerUserPathDto,
} from './partners.dto.js';
import { basisPointsOf, brandingOf, presentPartners, presentResult } from './partners.presenter.js';

/** The register of partners, for an Admin; a partner changes its own profile and sub-users. */
@ApiTags('partners')
@Roles('Admin')
@Credentials('api-key', 'app-token')
@UseGuards(ApiGuard)
@Scope('operate')
@Controller('api/v1/partners')
export class PartnerRegisterController {
  constructor(
    private readonly access: PartnerAccess,
    private readonly catalog: Catalog,
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  @ApiOperation({ summary: 'List the partners', description: 'A page of all partners, by id.' })
  @ApiOkResponse({ type: PartnerListDto, description: 'A page of partners.' })
  async list(@Query() query: PageDto): Promise<PartnerListDto> {
    const page = await this.queries.execute(
      new PartnersQuery(query.page, query.limit, asOfOf(query)),
    );
    return presentPartners(query, page);
  }

  @Post()
  @Idempotent()
  @ApiOperation({
    summary: 'Register a partner',
    description: 'It has no users yet: add a manager, who then registers sub-users.',
  })
  @ApiCreatedResponse({ type: PartnerResultDto, description: 'The partner.' })
  @FailsWith('partner_slug_taken', 'share_above_ceiling')
  async register(
    @Body() body: NewPartnerDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<PartnerResultDto> {
    const { revenue_share_pct: share, revenue_share_max_pct: most = share } = body;
    const data = {
      name: body.partner_name,
      slug: body.partner_slug,
      branding: brandingOf(body.branding),
      revenueShareBasisPoints: basisPointsOf(share),
      revenueShareMaxBasisPoints: basisPointsOf(most),
    };
    const command = new RegisterPartnerCommand(data, contextBy(caller, request));
    return this.#result(await this.commands.execute(command));
  }

  @Put(':partner_id/profile')
  @Roles('Partner', 'Admin')
  @Idempotent()
  @ApiOperation({
    summary: 'Change name and colours of a partner',
    description: 'A partner changes its own.',
  })
  @ApiOkResponse({ type: PartnerResultDto, description: 'The partner after the change.' })
  @FailsWith('partner_not_found', 'share_above_ceiling')
  async changeProfile(
    @Param() { partner_id: asked }: PartnerPathDto,
    @Body() body: PartnerProfileDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<PartnerResultDto> {
    const partnerId = await this.access.partnerOf(caller, asked);
    const data = {
      partnerId,
      name: body.partner_name,
      branding: brandingOf(body.branding),
      changedAt: instant(this.clock),
    };
    const change = { type: 'ChangeProfile', data } as const;
    await this.commands.execute(new ChangePartnerCommand(change, contextBy(caller, request)));
    return this.#result(partnerId);
  }

  @Put(':partner_id/subusers/:user_id')
  @Idempotent()
  @ApiOperation({
    summary: 'Add an existing user to a partner',
    description: 'The charges of the user that follow count for the partner.',
  })
  @ApiOkResponse({ type: PartnerResultDto, description: 'The partner after the change.' })
  @FailsWith('partner_not_found', 'sub_user_not_found', 'member_of_partner')
  addSubUser(
    @Param() path: PartnerUserPathDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<PartnerResultDto> {
    return this.#join(path, 'sub_user', contextBy(caller, request));
  }

  @Delete(':partner_id/subusers/:user_id')
  @Roles('Partner', 'Admin')
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({
    summary: 'Take a sub-user from a partner',
    description: 'The user stays. The charges that follow do not count for the partner.',
  })
  @ApiOkResponse({ type: PartnerResultDto, description: 'The partner after the change.' })
  @FailsWith('partner_not_found', 'sub_user_not_found')
  async removeSubUser(
    @Param() path: PartnerUserPathDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<PartnerResultDto> {
    await this.access.partnerOf(caller, path.partner_id);
    return this.#leave(path, 'sub_user', contextBy(caller, request));
  }

  @Put(':partner_id/managers/:user_id')
  @Idempotent()
  @ApiOperation({
    summary: 'Let a user manage a partner',
    description: 'The user has the role Partner and belongs to no other partner.',
  })
  @ApiOkResponse({ type: PartnerResultDto, description: 'The partner after the change.' })
  @FailsWith('partner_not_found', 'sub_user_not_found', 'not_a_partner_user')
  addManager(
    @Param() path: PartnerUserPathDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<PartnerResultDto> {
    return this.#join(path, 'manager', contextBy(caller, request));
  }

  @Delete(':partner_id/managers/:user_id')
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({
    summary: 'Let a user no longer manage a partner',
    description: 'The user stays.',
  })
  @ApiOkResponse({ type: PartnerResultDto, description: 'The partner after the change.' })
  @FailsWith('partner_not_found', 'sub_user_not_found')
  removeManager(
    @Param() path: PartnerUserPathDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<PartnerResultDto> {
    return this.#leave(path, 'manager', contextBy(caller, request));
  }

  @Put(':partner_id/rigs/:rig')
  @Idempotent()
  @ApiOperation({
    summary: 'Put a rig into the fleet of a partner',
    description: 'A rig is in the fleet of at most one partner.',
  })
  @ApiOkResponse({ type: PartnerResultDto, description: 'The partner after the change.' })
  @FailsWith('partner_not_found', 'rig_not_in_catalog', 'rig_in_fleet')
  async assignRig(
    @Param() { partner_id, rig }: PartnerRigPathDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<PartnerResultDto> {
    if (!this.catalog.rigs().some(({ name }) => name === rig)) throw rigNotInCatalog(rig);
    const partnerId = PartnerId.parse(partner_id);
    const data = { partnerId, rig, assignedAt: instant(this.clock) };
    const change = { type: 'AssignRig', data } as const;
    await this.commands.execute(new ChangeFleetCommand(change, contextBy(caller, request)));
    return this.#result(partnerId);
  }

  @Delete(':partner_id/rigs/:rig')
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({
    summary: 'Take a rig out of the fleet of a partner',
    description: 'The rig stays in the catalog.',
  })
  @ApiOkResponse({ type: PartnerResultDto, description: 'The partner after the change.' })
  @FailsWith('partner_not_found', 'rig_not_in_fleet')
  async removeRig(
    @Param() { partner_id, rig }: PartnerRigPathDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<PartnerResultDto> {
    const partnerId = PartnerId.parse(partner_id);
    const data = { partnerId, rig, removedAt: instant(this.clock) };
    const change = { type: 'RemoveRig', data } as const;
    await this.commands.execute(new ChangeFleetCommand(change, contextBy(caller, request)));
    return this.#result(partnerId);
  }

  async #join(
    path: PartnerUserPathDto,
    capacity: Capacity,
    context: CommandContext,
  ): Promise<PartnerResultDto> {
    const member = memberOf(path, capacity);
    await this.commands.execute(new JoinPartnerCommand(member, context));
    return this.#result(member.partnerId);
  }

  async #leave(
    path: PartnerUserPathDto,
    capacity: Capacity,
    context: CommandContext,
  ): Promise<PartnerResultDto> {
    const member = memberOf(path, capacity);
    await this.commands.execute(new LeavePartnerCommand(member, context));
    return this.#result(member.partnerId);
  }

  async #result(partnerId: PartnerId): Promise<PartnerResultDto> {
    return presentResult(await this.queries.execute(new PartnerOverviewQuery(partnerId)));
  }
}

const contextBy = ({ userId }: Caller, request: FastifyRequest): CommandContext =>
  contextOf(request.id, `user:${userId}`);

const memberOf = ({ partner_id, user_id }: PartnerUserPathDto, capacity: Capacity) => ({
  partnerId: PartnerId.parse(partner_id),
  userId: UserId.parse(user_id),
  capacity,
});

const rigNotInCatalog = (rig: string): DomainError =>
  new DomainError<PartnersErrorCode>('rig_not_in_catalog', `the catalog has no rig ${rig}`);
