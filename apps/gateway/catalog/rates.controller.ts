import { Controller, Get, Inject, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Catalog } from '#areas/catalog/catalog.js';
import { type RateCardChoice, RateCardQuery } from '#areas/catalog/rate-card.handler.js';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { HttpFailure } from '../errors/http-failure.js';
import { Scope } from '../identity/scope.decorator.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { asOfOf } from '../time-travel/as-of.dto.js';
import { presentRates } from './catalog.presenter.js';
import { instantOf } from '../fields/instant.validator.js';
import { RatesDto, RatesQueryDto } from './rates.dto.js';

/** Public: prices are known before an account exists. */
@ApiTags('catalog')
@Scope('open')
@Controller('api/v1/billing/rates.php')
export class RatesController {
  constructor(
    @Inject(QueryBus) private readonly queries: QueryBus,
    @Inject(Catalog) private readonly catalog: Catalog,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Model prices and hourly compute rates',
    description:
      'Public: the route needs no credential. Each charge names the version of the rate card ' +
      'that priced it. `at` gives the prices that were in force at an instant, ' +
      '`asOf` the cards that the log had then.',
  })
  @ApiOkResponse({ type: RatesDto, description: 'The rate card.' })
  @FailsWith('rate_card_not_found')
  async find(@Query() query: RatesQueryDto): Promise<Readonly<RatesDto>> {
    const found = await this.queries.execute(
      new RateCardQuery(this.#choiceOf(query), asOfOf(query)),
    );
    return presentRates(found, this.catalog);
  }

  #choiceOf({ version, at }: RatesQueryDto): RateCardChoice {
    if (version !== undefined && at !== undefined) {
      throw badAt('at and version cannot be given together');
    }
    if (version !== undefined) return { version };
    if (at === undefined) return 'newest';
    const instant = instantOf(at);
    // The validator has accepted it.
    if (instant === null) throw new Error(`not an instant: ${at}`);
    if (Date.parse(instant) > this.clock.now()) throw badAt('at must not be in the future');
    return { at: instant };
  }
}

const badAt = (message: string): HttpFailure =>
  new HttpFailure({ status: 400, code: 'invalid_request', message, param: 'at' });
