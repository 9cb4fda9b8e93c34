import { Controller, Get, Inject, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Catalog } from '#areas/catalog/catalog.js';
import { RateCardQuery } from '#areas/catalog/rate-card.handler.js';
import { ApplicationFailures } from '../openapi/failures.docs.js';
import { presentRates } from './catalog.presenter.js';
import { RatesDto, RatesQueryDto } from './rates.dto.js';

/** Public: prices are known before an account exists. */
@ApiTags('catalog')
@Controller('api/v1/billing/rates.php')
export class RatesController {
  constructor(
    @Inject(QueryBus) private readonly queries: QueryBus,
    @Inject(Catalog) private readonly catalog: Catalog,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Model prices and hourly compute rates',
    description:
      'Public: the route needs no credential. Each charge names the version of the rate card ' +
      'that priced it.',
  })
  @ApiOkResponse({ type: RatesDto })
  @ApplicationFailures(400, 404, 503)
  async find(@Query() { version }: RatesQueryDto): Promise<Readonly<RatesDto>> {
    const found = await this.queries.execute(new RateCardQuery(version ?? null));
    return presentRates(found, this.catalog);
  }
}
