import { Controller, Get, Query, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ReplayPricesQuery } from '#areas/billing/rerating/replay-prices.handler.js';
import { priceCardOf } from '#areas/catalog/price-card.js';
import { RateCardQuery } from '#areas/catalog/rate-card.handler.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { type RequestsErrorCode } from '#areas/requests/requests.errors.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { dayAfter, periodFault } from '#platform/kernel/report.js';
import { type PriceCard } from '#platform/ledger/price-card.js';
import { Areas } from '#platform/runtime/areas/area.js';
import { rejectedField } from '#platform/runtime/commands/rejected-request.js';
import { AccountOwnerGuard } from '../identity/account-owner.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { accountAsked } from '../requests/account-asked.js';
import { asOfOf } from '../time-travel/as-of.dto.js';
import { WhatIfDto, WhatIfQueryDto } from './what-if.dto.js';
import { presentWhatIf } from './what-if.presenter.js';

/** Events of the account; the command line reads more. */
const EVENTS_MAX = 50_000;

const midnight = (day: string): string => `${day}T00:00:00.000Z`;

const noProgress = (): void => undefined;

@ApiTags('billing')
@Credentials('api-key', 'app-token', 'provider-token')
@UseGuards(AccountOwnerGuard)
@Scope('read_billing')
@Controller('api/v1/spend/what_if')
export class WhatIfController {
  constructor(
    private readonly queries: QueryBus,
    private readonly areas: Areas,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Get the spend of a period at other prices',
    description:
      'The charges of an account, priced again by another rate card, or with the hourly price of ' +
      'another rig for rentals. Nothing is written. A model has one price, whatever rig answers. ' +
      `\`quipu replay\` reads more than ${EVENTS_MAX} events of an account.`,
  })
  @ApiOkResponse({ type: WhatIfDto, description: 'Both sums, and the prices that differ.' })
  @FailsWith(
    'invalid_spend_period',
    'rate_card_not_found',
    'ledger_too_large',
    'too_many_replays',
    'insufficient_role',
  )
  async find(@Query() query: WhatIfQueryDto, @CurrentCaller() caller: Caller): Promise<WhatIfDto> {
    const accountId = accountAsked(query, caller);
    demandPeriod(query);
    const card = await this.#cardOf(query);
    const products = this.areas.list.flatMap((area) => area.products);
    const order = { card, products, accountId, eventsMax: EVENTS_MAX, onProgress: noProgress };
    const [from, to] = [midnight(query.from), midnight(dayAfter(query.to))];
    const replay = await this.queries.execute(
      new ReplayPricesQuery(order, from, to, asOfOf(query)),
    );
    return presentWhatIf(query, card.version, replay);
  }

  async #cardOf(query: WhatIfQueryDto): Promise<PriceCard & { readonly version: number }> {
    const { rate_card: version, rig } = query;
    const choice = version === undefined ? 'newest' : { version };
    const { card: found } = await this.queries.execute(new RateCardQuery(choice, asOfOf(query)));
    const card = { ...priceCardOf(found), version: found.version };
    if (rig === undefined) return card;
    const hourly = card.rigs.get(rig);
    if (hourly === undefined) {
      throw rejectedField(
        'rig',
        `expected a rig with an hourly price on rate card ${card.version}`,
      );
    }
    return { ...card, rigs: { get: () => hourly } };
  }
}

/** @throws DomainError `invalid_spend_period` */
const demandPeriod = (query: WhatIfQueryDto): void => {
  const fault = periodFault(query);
  if (fault !== null) throw new DomainError<RequestsErrorCode>('invalid_spend_period', fault);
};
