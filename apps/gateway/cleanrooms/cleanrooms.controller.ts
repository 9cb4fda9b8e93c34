import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Post,
  Put,
  Query,
  Req,
  UseGuards,
} from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { ChangeRoomCommand, type RoomChange } from '#areas/cleanrooms/change-room.handler.js';
import { RoomQuery } from '#areas/cleanrooms/cleanroom.queries.js';
import { CreateRoomCommand } from '#areas/cleanrooms/create-room.handler.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { AsOfDto, asOfOf } from '../time-travel/as-of.dto.js';
import {
  CleanroomAnswerDto,
  ContributionPathDto,
  NewCleanroomDto,
  ParticipantDto,
  ParticipantPathDto,
  RoomPathDto,
  RoomSchemaDto,
} from './cleanrooms.dto.js';
import { presentDetail } from './cleanrooms.presenter.js';
import { columnOf, decimalText } from './column-fields.js';

/** Clean rooms and who takes part in them. */
@ApiTags('cleanrooms')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('api/v1/cleanrooms')
export class CleanroomsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({
    summary: 'Create a clean room',
    description:
      'The account administers the room: it chooses the participants and the schema, and sees ' +
      'no row. The budget and its composition rule never change.',
  })
  @ApiOkResponse({ type: CleanroomAnswerDto, description: 'The room.' })
  @FailsWith('cleanroom_budget_invalid', 'cleanroom_participant_exists')
  async create(
    @Body() body: NewCleanroomDto,
    @CurrentCaller() { accountId, userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<CleanroomAnswerDto> {
    const room = {
      accountId,
      name: body.name,
      totalEpsilon: decimalText(body.total_epsilon),
      totalDelta: decimalText(body.total_delta),
      rule: body.composition_rule,
      contributorsMin: body.contributors_min,
      participants: body.participants.map((one) => ({
        accountId: one.account_id,
        role: one.role,
      })),
    };
    const context = contextOf(request.id, `user:${userId}`);
    const { cleanroomId } = await this.commands.execute(new CreateRoomCommand(room, context));
    return this.#shown(cleanroomId, accountId);
  }

  @Get(':cleanroom_uuid')
  @ApiOperation({
    summary: 'Get a clean room',
    description: 'Its budget, participants and schema, and the contributions of the caller.',
  })
  @ApiOkResponse({ type: CleanroomAnswerDto, description: 'The room.' })
  @FailsWith('cleanroom_not_found')
  async show(
    @Param() { cleanroom_uuid: cleanroomId }: RoomPathDto,
    @Query() query: AsOfDto,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<CleanroomAnswerDto> {
    const found = await this.queries.execute(new RoomQuery(cleanroomId, accountId, asOfOf(query)));
    return presentDetail(found, accountId);
  }

  @Post(':cleanroom_uuid/participants')
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({
    summary: 'Add a participant',
    description: 'Only for the account that created the room.',
  })
  @ApiOkResponse({ type: CleanroomAnswerDto, description: 'The room.' })
  @FailsWith(
    'cleanroom_not_found',
    'cleanroom_role_missing',
    'cleanroom_participant_exists',
    'cleanroom_full',
  )
  addParticipant(
    @Param() { cleanroom_uuid: cleanroomId }: RoomPathDto,
    @Body() { account_id: added, role }: ParticipantDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<CleanroomAnswerDto> {
    const data = { by: caller.accountId, accountId: added, role };
    return this.#change(cleanroomId, { type: 'AddParticipant', data }, caller, request);
  }

  @Delete(':cleanroom_uuid/participants/:account_id/:role')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Remove a participant',
    description:
      'Only for the account that created the room. The rows of a removed contributor are ' +
      'withdrawn.',
  })
  @ApiOkResponse({ type: CleanroomAnswerDto, description: 'The room.' })
  @FailsWith('cleanroom_not_found', 'cleanroom_role_missing', 'cleanroom_participant_unknown')
  removeParticipant(
    @Param() { cleanroom_uuid: cleanroomId, account_id: removed, role }: ParticipantPathDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<CleanroomAnswerDto> {
    const data = { by: caller.accountId, accountId: removed, role };
    return this.#change(cleanroomId, { type: 'RemoveParticipant', data }, caller, request);
  }

  @Put(':cleanroom_uuid/schema')
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({
    summary: 'Register the schema',
    description:
      'Only for the account that created the room, while it has no rows. Every domain is ' +
      'declared: none is learned from rows.',
  })
  @ApiOkResponse({ type: CleanroomAnswerDto, description: 'The room.' })
  @FailsWith(
    'cleanroom_not_found',
    'cleanroom_role_missing',
    'cleanroom_schema_invalid',
    'cleanroom_schema_in_use',
  )
  registerSchema(
    @Param() { cleanroom_uuid: cleanroomId }: RoomPathDto,
    @Body() body: RoomSchemaDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<CleanroomAnswerDto> {
    const data = { by: caller.accountId, columns: body.columns.map(columnOf) };
    return this.#change(cleanroomId, { type: 'RegisterSchema', data }, caller, request);
  }

  @Delete(':cleanroom_uuid/contributions/:contribution_id')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Withdraw rows',
    description:
      'Only for the account that deposited them. Their key is destroyed, and no later query ' +
      'reads them. Answers that were given before are not taken back.',
  })
  @ApiOkResponse({ type: CleanroomAnswerDto, description: 'The room.' })
  @FailsWith('cleanroom_not_found', 'cleanroom_contribution_not_found')
  withdraw(
    @Param() { cleanroom_uuid: cleanroomId, contribution_id: contributionId }: ContributionPathDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<CleanroomAnswerDto> {
    const data = { by: caller.accountId, contributionId };
    return this.#change(cleanroomId, { type: 'WithdrawContribution', data }, caller, request);
  }

  async #change(
    cleanroomId: string,
    change: RoomChange,
    { accountId, userId }: Caller,
    { id }: FastifyRequest,
  ): Promise<CleanroomAnswerDto> {
    const context = contextOf(id, `user:${userId}`);
    await this.commands.execute(new ChangeRoomCommand(cleanroomId, change, context));
    return this.#shown(cleanroomId, accountId);
  }

  async #shown(cleanroomId: string, accountId: string): Promise<CleanroomAnswerDto> {
    const found = await this.queries.execute(new RoomQuery(cleanroomId, accountId));
    return presentDetail(found, accountId);
  }
}
