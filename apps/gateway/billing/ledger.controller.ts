import { Controller, Get, Headers, Res, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import { type BillingErrorCode } from '#areas/billing/billing.errors.js';
import { LedgerEventsQuery, type LedgerStep } from '#areas/billing/ledger-events.handler.js';
import { OPEN_HOLDS_MAX, OpenHoldsQuery } from '#areas/billing/open-holds.handler.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { toUsd } from '#platform/kernel/money.js';
import { AccountOwnerGuard } from '../identity/account-owner.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { FollowedEventsDocs, revisionOf } from '../sse/followed-events.js';
import { LogEventStreams, STREAMS_PER_ACCOUNT_MAX } from '../sse/log-event-streams.js';
import { namedEvent } from '../sse/sse.js';
import { presentEvent } from './explanations.presenter.js';
import { OpenHoldsDto } from './ledger.dto.js';

const EXAMPLE =
  'id: 41\nevent: head\ndata: {"position":"41","recorded_at":"2026-11-21T04:48:00.000Z"}\n\n' +
  'id: 42\nevent: HoldPlaced\ndata: {"type":"HoldPlaced","position":"42",…}\n\n';

const tooMany = (): DomainError<BillingErrorCode> =>
  new DomainError(
    'too_many_ledger_streams',
    `the account follows its ledger ${STREAMS_PER_ACCOUNT_MAX} times, the most at the same time`,
  );

const present = ({ size, recordedAt, explained }: LedgerStep): string => {
  const position = size.toString();
  return explained === null
    ? namedEvent('head', position, { position, recorded_at: recordedAt })
    : namedEvent(explained.event.type, position, presentEvent({ ...explained, position: size }));
};

/** The ledger of an account as it moves; an addition to the promised interface. */
@ApiTags('billing')
@Credentials('api-key', 'app-token', 'provider-token')
@UseGuards(AccountOwnerGuard)
@Scope('read_billing')
@Controller('api/v1/billing')
export class LedgerController {
  constructor(
    private readonly queries: QueryBus,
    private readonly streams: LogEventStreams,
  ) {}

  @Get('events')
  @ApiOperation({
    summary: 'Follow the ledger',
    description:
      'Server-sent events: each event of the account from now on, with its facts. The id of an ' +
      'event is its number in the log, as in `position` of other answers. `head` says that the ' +
      'log is so long without a further event of the account, and when the last event was ' +
      'recorded. The stream ends after ' +
      '`QUIPU_EVENT_STREAM_SECONDS`, or when the gateway stops. Resume with `Last-Event-ID`, for ' +
      'which the `position` of an answer serves as well: no event is missed.',
  })
  @FollowedEventsDocs(EXAMPLE)
  @FailsWith('ledger_event_unknown', 'too_many_ledger_streams')
  async follow(
    @Headers('last-event-id') lastEventId: string | undefined,
    @CurrentCaller() { accountId }: Caller,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const after = revisionOf(lastEventId, 'ledger');
    const { follow } = await this.queries.execute(new LedgerEventsQuery(accountId, after));
    const presented = async function* (signal: AbortSignal): AsyncGenerator<string> {
      for await (const step of follow(signal)) yield present(step);
    };
    await this.streams.write({ accountId, follow: presented, tooMany }, reply);
  }

  @Get('holds')
  @ApiOperation({
    summary: 'List the open holds',
    description:
      `What running work holds of the balance, the oldest first: ${OPEN_HOLDS_MAX} at most. Of ` +
      'the present alone; the log has the holds of the past.',
  })
  @ApiOkResponse({ type: OpenHoldsDto, description: 'The holds.' })
  async holds(@CurrentCaller() { accountId }: Caller): Promise<OpenHoldsDto> {
    const { holds, total, position } = await this.queries.execute(new OpenHoldsQuery(accountId));
    return {
      success: true,
      total,
      holds: holds.map(({ holdId, purpose, amount, key, model, ...hold }) => ({
        id: holdId,
        product: purpose,
        held_usd: toUsd(amount),
        placed_at: hold.placedAt,
        expires_at: hold.expiresAt,
        model: model ?? null,
        key_id: key ?? null,
      })),
      position: position.toString(),
    };
  }
}
