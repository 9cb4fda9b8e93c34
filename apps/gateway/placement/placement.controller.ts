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
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { ReleasePlacementCommand } from '#areas/placement/end-placement.handlers.js';
import { PlaceStagesCommand } from '#areas/placement/place-stages.handler.js';
import { PlacementQuery, PlacementsQuery } from '#areas/placement/placement.queries.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { DoneDto } from '../identity/auth.dto.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import {
  PlacementAnswerDto,
  PlacementIdDto,
  PlacementListDto,
  PlacementOrderDto,
  PlacementResultDto,
  PlacementsPageDto,
} from './placement.dto.js';
import { presentAnswer, presentPlacements, presentResult } from './placement.presenter.js';

@ApiTags('placement')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('api/v1/pipeline')
export class PlacementController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post('orchestrate')
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({
    summary: 'Place the stages of a pipeline',
    description:
      'Reserves memory for `pp_degree` stages of `tp_degree` parts each on the registered rigs. ' +
      'All parts of a stage are on one rig, on a device each where the rig has devices. The ' +
      'fewest rigs are used, in the order whose slowest link is the fastest, by transfers that ' +
      'are timed for this request or were in the last minute. An order without room is rejected ' +
      'with the missing memory in `metadata`. The reservation ends by a release, or after ' +
      '`reservation_sec`.',
  })
  @ApiOkResponse({ type: PlacementResultDto, description: 'The placement.' })
  @FailsWith('placement_infeasible', 'too_many_placements', 'rigs_unknown')
  async orchestrate(
    @Body() body: PlacementOrderDto,
    @CurrentCaller() { accountId, userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<PlacementResultDto> {
    const wanted = {
      orderId: request.id,
      accountId,
      model: body.model ?? null,
      ppDegree: body.pp_degree,
      tpDegree: body.tp_degree,
      memoryBytes: body.memory_bytes,
      reservedSeconds: body.reservation_sec,
    };
    const context = contextOf(request.id, `user:${userId}`);
    return presentResult(await this.commands.execute(new PlaceStagesCommand(wanted, context)));
  }

  @Get('placements')
  @ApiOperation({
    summary: 'List the placements',
    description: 'Those of the account, newest first, the ended ones too.',
  })
  @ApiOkResponse({ type: PlacementListDto, description: 'A page of placements.' })
  async list(
    @Query() query: PlacementsPageDto,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<PlacementListDto> {
    const page = new PlacementsQuery(accountId, query.page, query.limit);
    return presentPlacements(query, await this.queries.execute(page));
  }

  @Get('placements/:id')
  @ApiOperation({ summary: 'Get a placement', description: 'Where its stages are.' })
  @ApiOkResponse({ type: PlacementAnswerDto, description: 'The placement.' })
  @FailsWith('placement_not_found')
  async show(
    @Param() { id }: PlacementIdDto,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<PlacementAnswerDto> {
    return presentAnswer(await this.queries.execute(new PlacementQuery(accountId, id)));
  }

  @Delete('placements/:id')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Release a placement',
    description: 'Its memory is free from then on.',
  })
  @ApiOkResponse({ type: DoneDto, description: 'The placement is released.' })
  @FailsWith('placement_not_found')
  async release(
    @Param() { id }: PlacementIdDto,
    @CurrentCaller() { accountId, userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<DoneDto> {
    const context = contextOf(request.id, `user:${userId}`);
    await this.commands.execute(new ReleasePlacementCommand(id, accountId, context));
    return { success: true, message: 'The placement was released.' };
  }
}
