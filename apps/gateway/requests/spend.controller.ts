import { Controller, Get, Inject, Query, type StreamableFile, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import {
  STATEMENT_SETTINGS,
  type StatementSettings,
} from '#areas/billing/statements/statements.settings.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import {
  FOCUS_GROUPS,
  focusCsv,
  type FocusFacts,
  type SoldProduct,
} from '#areas/requests/focus.js';
import { usdOf } from '#areas/requests/request-fields.js';
import { spendCsv, spendFields } from '#areas/requests/spend-fields.js';
import {
  SPEND_GROUPS_EXPECTED,
  type SpendGroup,
  spendGroupsOf,
} from '#areas/requests/spend-groups.js';
import {
  type SpendOrder,
  SpendQuery,
  type SpendReport,
  UTC,
} from '#areas/requests/spend.handler.js';
import { Areas } from '#platform/runtime/areas/area.js';
import { rejectedField } from '#platform/runtime/commands/rejected-request.js';
import { CSV_TYPE, download, FILE } from '../bodies/download.js';
import { AccountOwnerGuard } from '../identity/account-owner.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { asOfOf } from '../time-travel/as-of.dto.js';
import { accountAsked } from './account-asked.js';
import { SpendDto, SpendFileQueryDto, SpendQueryDto } from './spend.dto.js';

/** Who sells, where the operator has not said it. */
const ISSUER = 'Quipu';

/** The spend of an account; an addition to the promised interface. */
@ApiTags('requests')
@Credentials('api-key', 'app-token', 'provider-token')
@UseGuards(AccountOwnerGuard)
@Scope('read_billing')
@Controller('api/v1/spend')
export class SpendController {
  constructor(
    private readonly queries: QueryBus,
    private readonly areas: Areas,
    @Inject(STATEMENT_SETTINGS) private readonly settings: StatementSettings,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Get the spend by groups',
    description:
      'Charges and their corrections. The rows of a month in UTC sum to its statement, whatever ' +
      'they are by: charges less adjustments.',
  })
  @ApiOkResponse({ type: SpendDto, description: 'The sums of the period.' })
  @FailsWith('invalid_spend_period', 'spend_too_large', 'unknown_time_zone', 'insufficient_role')
  async spend(@Query() query: SpendQueryDto, @CurrentCaller() caller: Caller): Promise<SpendDto> {
    const { from, to, tz } = query;
    const report = await this.#report(query, orderOf(query, caller));
    return {
      success: true,
      from,
      to,
      tz,
      rows: report.rows.map(spendFields),
      total_usd: usdOf(report.amount),
      position: report.position.toString(),
    };
  }

  @Get('report.csv')
  @ApiOperation({
    summary: 'Download the spend as CSV',
    description: 'A row for each row of the spend, or the columns of FOCUS.',
  })
  @ApiProduces('text/csv')
  @ApiOkResponse({ ...FILE, description: 'The spend, RFC 4180.' })
  @FailsWith('invalid_spend_period', 'spend_too_large', 'unknown_time_zone', 'insufficient_role')
  async csv(
    @Query() query: SpendFileQueryDto,
    @CurrentCaller() caller: Caller,
  ): Promise<StreamableFile> {
    const { from, to, format } = query;
    const csv = await (format === 'focus' ? this.#focus(query, caller) : this.#rows(query, caller));
    return download(Buffer.from(csv), CSV_TYPE, `spend-${from}-${to}.csv`);
  }

  async #rows(query: SpendQueryDto, caller: Caller): Promise<string> {
    const order = orderOf(query, caller);
    return spendCsv(await this.#report(query, order), order.by);
  }

  async #focus(query: SpendQueryDto, caller: Caller): Promise<string> {
    const { from, to } = query;
    const accountId = accountAsked(query, caller);
    const order = { accountId, from, to, by: FOCUS_GROUPS, timeZone: UTC };
    return focusCsv(await this.#report(query, order), {
      accountId,
      issuer: this.settings.seller?.name ?? ISSUER,
      products: this.#products(),
    });
  }

  #products(): FocusFacts['products'] {
    const sold = new Map<string, SoldProduct>();
    for (const { products } of this.areas.list) {
      for (const { purpose, title, group } of products) sold.set(purpose, { title, group });
    }
    return sold;
  }

  #report(query: SpendQueryDto, order: SpendOrder): Promise<SpendReport> {
    return this.queries.execute(new SpendQuery(order, asOfOf(query)));
  }
}

const orderOf = (query: SpendQueryDto, caller: Caller): SpendOrder => {
  const { from, to, by, tz: timeZone } = query;
  return { accountId: accountAsked(query, caller), from, to, by: groupsOf(by), timeZone };
};

/** @throws RejectedRequestError 400 that names the field */
const groupsOf = (by: string): readonly SpendGroup[] => {
  const groups = spendGroupsOf(by);
  if (groups) return groups;
  throw rejectedField('by', `expected ${SPEND_GROUPS_EXPECTED}`);
};
