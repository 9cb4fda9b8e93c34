import {
  Body,
  Controller,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Query,
  Req,
  Res,
  UseGuards,
} from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { AskRoomCommand } from '#areas/cleanrooms/ask-room.handler.js';
import { REQUEST_MS_MAX } from '#areas/cleanrooms/query-admission.js';
import { SpendsQuery } from '#areas/cleanrooms/spends.query.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { callerContext } from '../identity/caller-context.js';
import { OpenRequests } from '../../operations/open-requests.js';
import { CurrentAttempt, type RequestAttempt } from '../idempotency/current-attempt.decorator.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { costHeaders } from '../inference/chat.headers.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { PaidSettler } from '../paid/paid.settler.js';
import { asOfOf } from '../time-travel/as-of.dto.js';
import { RoomPathDto } from './cleanrooms.dto.js';
import { RoomAnswerDto, RoomQueryDto, SpendListDto, SpendsPageDto } from './queries.dto.js';
import { askedOf, presentRoomAnswer, presentSpends } from './queries.presenter.js';

/** Questions to clean rooms. */
@ApiTags('cleanrooms')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('api/v1/cleanrooms/:cleanroom_uuid')
export class QueriesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly requests: OpenRequests,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post('queries')
  @HttpCode(200)
  @Idempotent({ settle: PaidSettler })
  @ApiOperation({
    summary: 'Ask a clean room',
    description:
      'Only for an analyst of the room. The privacy is reserved before any noise is drawn and ' +
      'spent before the answer is given. The same query of the same analyst over the same rows ' +
      'gets the stored answer: it spends and costs nothing. A rejected query costs nothing either.',
  })
  @ApiOkResponse({ type: RoomAnswerDto, description: 'The answer with its expected error.' })
  @FailsWith(
    'cleanroom_not_found',
    'cleanroom_role_missing',
    'cleanroom_schema_missing',
    'cleanroom_query_invalid',
    'cleanroom_contributors_missing',
    'cleanroom_full',
    'cleanroom_rows_changed',
    'cleanroom_not_priced',
    'cleanroom_busy',
    'cleanroom_failed',
    'privacy_budget_exceeded',
    'privacy_query_running',
    'privacy_reservation_ended',
    'request_timed_out',
  )
  async ask(
    @Param() { cleanroom_uuid: cleanroomId }: RoomPathDto,
    @Body() body: RoomQueryDto,
    @CurrentCaller() { accountId, userId, credential }: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentAttempt() attempt: RequestAttempt | undefined,
  ): Promise<RoomAnswerDto> {
    const question = {
      ...{ accountId, cleanroomId, asked: askedOf(body), receivedAtMs: this.clock.now() },
      context: callerContext(request, { userId, credential }),
      ...(attempt && { confirm: attempt.confirm }),
    };
    const open = this.requests.open(REQUEST_MS_MAX);
    try {
      const answered = await this.commands.execute(new AskRoomCommand(question, open.signal));
      void reply.headers(costHeaders(answered.entry));
      return presentRoomAnswer(answered);
    } finally {
      open.close();
    }
  }

  @Get('spends')
  @ApiOperation({
    summary: 'List the spends of a clean room',
    description:
      'Every participant sees them. `/audit/requests/{spend_id}` proves a spend to them from the ' +
      'transparency log.',
  })
  @ApiOkResponse({ type: SpendListDto, description: 'A page of spends.' })
  @FailsWith('cleanroom_not_found')
  async spends(
    @Param() { cleanroom_uuid: cleanroomId }: RoomPathDto,
    @Query() query: SpendsPageDto,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<SpendListDto> {
    const { page, limit } = query;
    const asked = { page, limit, asOf: asOfOf(query) };
    return presentSpends(
      await this.queries.execute(new SpendsQuery(cleanroomId, accountId, asked)),
    );
  }
}
