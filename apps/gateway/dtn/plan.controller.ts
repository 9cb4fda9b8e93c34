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
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { ChangePlanCommand, type PlanChange } from '#areas/dtn/change-plan.handler.js';
import { PlanQuery } from '#areas/dtn/dtn.queries.js';
import { type PlanState } from '#areas/dtn/plan.decider.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { instantOf } from '../fields/instant.validator.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { DoneDto } from '../identity/auth.dto.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Roles } from '../identity/roles.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { ContactOrderDto, LinkOrderDto, PlanChangedDto, PlanDto, PlanIdDto } from './dtn.dto.js';
import { presentPlan } from './dtn.presenter.js';

/** The contact plan, which all accounts share. */
@ApiTags('dtn')
@UseGuards(ApiGuard)
@Scope('operate')
@Controller('api/v1/dtn')
export class PlanController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get('plan')
  @Scope('inference')
  @Credentials('api-key', 'app-token', 'renter-key')
  @ApiOperation({
    summary: 'Get the contact plan',
    description: 'The links, and the contacts of the next 7 days: passes, planned ones, ground.',
  })
  @ApiOkResponse({ type: PlanDto, description: 'The plan.' })
  @FailsWith('orbit_busy', 'orbit_unavailable', 'orbit_failed')
  async plan(): Promise<PlanDto> {
    return presentPlan(await this.queries.execute(new PlanQuery()));
  }

  @Post('contacts')
  @HttpCode(200)
  @Roles('Admin')
  @Credentials('api-key', 'app-token')
  @Idempotent()
  @ApiOperation({
    summary: 'Plan a contact',
    description: 'Only for an Admin. One direction, once. Stored bundles are planned again.',
  })
  @ApiOkResponse({ type: PlanChangedDto, description: 'The number of the contact.' })
  @FailsWith('dtn_eid_invalid', 'contact_invalid', 'contact_plan_full')
  async planContact(
    @Body() body: ContactOrderDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<PlanChangedDto> {
    const data = {
      from: body.from,
      to: body.to,
      startsAt: instantOf(body.starts_at) ?? body.starts_at,
      endsAt: instantOf(body.ends_at) ?? body.ends_at,
      bitsPerSecond: body.bits_per_second,
      lightMs: body.light_ms,
    };
    const state = await this.#change({ type: 'PlanContact', data }, caller, request);
    return { success: true, id: state.lastContactId };
  }

  @Delete('contacts/:id')
  @HttpCode(200)
  @Roles('Admin')
  @Credentials('api-key', 'app-token')
  @ApiOperation({
    summary: 'Withdraw a contact',
    description: 'Only for an Admin. The id of `contact-12` is 12. Bundles are planned again.',
  })
  @ApiOkResponse({ type: DoneDto, description: 'The contact is withdrawn.' })
  @FailsWith('contact_not_found')
  async withdrawContact(
    @Param() { id }: PlanIdDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<DoneDto> {
    await this.#change({ type: 'WithdrawContact', data: { contactId: id } }, caller, request);
    return { success: true, message: 'The contact was withdrawn.' };
  }

  @Post('links')
  @HttpCode(200)
  @Roles('Admin')
  @Credentials('api-key', 'app-token')
  @Idempotent()
  @ApiOperation({
    summary: 'Declare a link',
    description:
      'Only for an Admin. The passes of the satellite over the station become contacts in both ' +
      'directions. This node and the station reach each other at any time.',
  })
  @ApiOkResponse({ type: PlanChangedDto, description: 'The number of the link.' })
  @FailsWith(
    'dtn_eid_invalid',
    'link_exists',
    'contact_plan_full',
    'station_not_found',
    'satellite_not_found',
    'elements_decayed',
    'elements_not_propagable',
    'orbit_busy',
    'orbit_unavailable',
    'orbit_failed',
  )
  async declareLink(
    @Body() body: LinkOrderDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<PlanChangedDto> {
    const data = {
      stationId: body.station_id,
      satelliteId: body.satellite_id,
      stationNode: body.station_node,
      satelliteNode: body.satellite_node,
      bitsPerSecond: body.bits_per_second,
    };
    const state = await this.#change({ type: 'DeclareLink', data }, caller, request);
    return { success: true, id: state.lastLinkId };
  }

  @Delete('links/:id')
  @HttpCode(200)
  @Roles('Admin')
  @Credentials('api-key', 'app-token')
  @ApiOperation({
    summary: 'Withdraw a link',
    description: 'Only for an Admin. Its contacts leave the plan, and bundles are planned again.',
  })
  @ApiOkResponse({ type: DoneDto, description: 'The link is withdrawn.' })
  @FailsWith('link_not_found')
  async withdrawLink(
    @Param() { id }: PlanIdDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<DoneDto> {
    await this.#change({ type: 'WithdrawLink', data: { linkId: id } }, caller, request);
    return { success: true, message: 'The link was withdrawn.' };
  }

  #change(change: PlanChange, { userId }: Caller, { id }: FastifyRequest): Promise<PlanState> {
    return this.commands.execute(new ChangePlanCommand(change, contextOf(id, `user:${userId}`)));
  }
}
