import { Body, Controller, Get, HttpCode, Post, Query, Req, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { RoomsQuery } from '#areas/cleanrooms/cleanroom.queries.js';
import { RoomActionCommand } from '#areas/cleanrooms/room-action.handler.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { asOfOf } from '../time-travel/as-of.dto.js';
import {
  CleanroomListDto,
  RoomActionAnswerDto,
  RoomActionDto,
  RoomListQueryDto,
} from './cleanrooms.dto.js';
import { presentRooms } from './cleanrooms.presenter.js';

/** Clean rooms by the promised interface. */
@ApiTags('cleanrooms')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('api/v1/cleanrooms/index.php')
export class RoomActionsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List the clean rooms',
    description:
      'The rooms in which the account takes part, with their privacy budgets. Remaining is total ' +
      'less spent, at every position of the log.',
  })
  @ApiOkResponse({ type: CleanroomListDto, description: 'A page of clean rooms.' })
  async list(
    @Query() query: RoomListQueryDto,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<CleanroomListDto> {
    const { page, limit } = query;
    const asked = { page, limit, asOf: asOfOf(query) };
    return presentRooms(await this.queries.execute(new RoomsQuery(accountId, asked)));
  }

  @Post()
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({
    summary: 'Ask the enclave of a clean room',
    description: 'Attests the enclave, or deposits rows that are encrypted to it.',
  })
  @ApiOkResponse({ type: RoomActionAnswerDto, description: 'The answer of the action.' })
  @FailsWith(
    'cleanroom_not_found',
    'cleanroom_busy',
    'cleanroom_nonce_invalid',
    'cleanroom_attester_unavailable',
    'cleanroom_enclave_unavailable',
    'cleanroom_enclave_key_unknown',
    'cleanroom_role_missing',
    'cleanroom_schema_missing',
    'cleanroom_schema_superseded',
    'cleanroom_rows_invalid',
    'cleanroom_full',
    'cleanroom_not_priced',
    'cleanroom_deposit_invalid',
    'cleanroom_deposit_too_large',
    'cleanroom_deposit_unreadable',
    'cleanroom_deposit_replayed',
  )
  async act(
    @Body() { action, cleanroom_uuid: cleanroomId, ...fields }: RoomActionDto,
    @CurrentCaller() { accountId, userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<RoomActionAnswerDto> {
    const context = contextOf(request.id, `user:${userId}`);
    const order = { action, cleanroomId, accountId, fields, context };
    const answer = await this.commands.execute(new RoomActionCommand(order));
    return { success: true, cleanroom_uuid: cleanroomId, ...answer };
  }
}
