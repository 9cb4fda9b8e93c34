import { Controller, Get, Inject, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Catalog } from '#areas/catalog/catalog.js';
import { RateCardQuery } from '#areas/catalog/rate-card.handler.js';
import { ApplicationFailures } from '../openapi/failures.docs.js';
import { presentRates } from './catalog.presenter.js';
import { RatesDto, RatesQueryDto } from './rates.dto.js';

/** Public: needs no credentials. */
@ApiTags('billing')
@Controller('api/v1/billing/rates.php')
export class RatesController {
  constructor(
    @Inject(QueryBus) private readonly queries: QueryBus,
    @Inject(Catalog) private readonly catalog: Catalog,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Model prices and hourly compute rates; credentials are optional' })
  @ApiOkResponse({ type: RatesDto })
  @ApplicationFailures(400, 404, 503)
  async rates(@Query() { version }: RatesQueryDto): Promise<Readonly<RatesDto>> {
    const found = await this.queries.execute(new RateCardQuery(version ?? null));
    return presentRates(found, this.catalog);
  }
}
