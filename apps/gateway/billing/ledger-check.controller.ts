import { Controller, Get, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CheckLedgerQuery, type LedgerReport } from '#areas/billing/check-ledger.handler.js';
import { toDecimal } from '#platform/kernel/money.js';
import { ApiGuard } from '../identity/api.guard.js';
import { Roles } from '../identity/roles.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { PositionsIn } from '../time-travel/position.interceptor.js';
import { LedgerCheckDto } from './ledger-check.dto.js';

/** Events of accounts; the command line checks more. */
export const CHECKED_EVENTS_MAX = 200_000;

const noProgress = (): void => undefined;

/** For Admins only: the figures are of all accounts. */
@ApiTags('billing')
@Credentials('api-key', 'app-token')
@UseGuards(ApiGuard)
@Roles('Admin')
@Scope('operate')
@Controller('api/v1/ledger')
export class LedgerCheckController {
  /** A check reads the whole log: callers at the same time share one. */
  #checking: Promise<LedgerReport> | undefined;

  constructor(private readonly queries: QueryBus) {}

  @Get('check')
  @PositionsIn('faults', 'damaged')
  @ApiOperation({
    summary: 'Check the ledger',
    description:
      'Only for an Admin. Folds the events of every account again, compares the read models, and ' +
      `checks the chain of the log: \`quipu ledger check\`, for at most ${CHECKED_EVENTS_MAX} ` +
      'events of accounts.',
  })
  @ApiOkResponse({ type: LedgerCheckDto, description: 'The sums, and each fault.' })
  @FailsWith('ledger_too_large')
  async check(): Promise<LedgerCheckDto> {
    this.#checking ??= this.queries
      .execute(new CheckLedgerQuery(noProgress, CHECKED_EVENTS_MAX))
      .finally(() => (this.#checking = undefined));
    return presentLedger(await this.#checking);
  }
}

const presentLedger = (report: LedgerReport): LedgerCheckDto => ({
  success: true,
  balanced: report.balanced,
  accounts: report.accounts,
  events: report.events,
  deposited_micro_usd: toDecimal(report.deposited),
  charged_micro_usd: toDecimal(report.charged),
  held_micro_usd: toDecimal(report.held),
  adjusted_micro_usd: toDecimal(report.adjusted),
  available_micro_usd: toDecimal(report.available),
  faults: report.faults.map(({ accountId, position, law }) => ({
    account_id: accountId,
    position,
    law,
  })),
  damaged: report.damaged.map(({ position, stream, reason }) => ({
    position: position.toString(),
    stream,
    reason,
  })),
  open_holds: report.openHolds.map((hold) => ({
    account_id: hold.accountId,
    hold_id: hold.holdId,
    purpose: hold.purpose,
    amount_micro_usd: toDecimal(hold.amount),
    placed_at: hold.placedAt,
    expires_at: hold.expiresAt,
  })),
  chain: report.chain && { events: report.chain.events, hash: report.chain.hash },
  read_model_failure: report.readModelFailure,
  position: report.position.toString(),
});
