import { Controller, Get, Query, type StreamableFile, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { marginCsv } from '#areas/costs/margin-fields.js';
import { MarginQuery, type MarginReport } from '#areas/costs/margin.handler.js';
import { CSV_TYPE, download, FILE } from '../bodies/download.js';
import { ApiGuard } from '../identity/api.guard.js';
import { Roles } from '../identity/roles.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { asOfOf } from '../time-travel/as-of.dto.js';
import { MarginDto, MarginQueryDto } from './margin.dto.js';
import { orderOf, presentMargin } from './margin.presenter.js';

/** For Admins only: what work costs is never shown to customers. */
@ApiTags('costs')
@Credentials('api-key', 'app-token')
@UseGuards(ApiGuard)
@Roles('Admin')
@Scope('operate')
@Controller('api/v1/margin')
export class MarginController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiOperation({
    summary: 'Charges, costs and their difference',
    description:
      'Charges, before credit notes and re-ratings, beside the known costs of all attempts at ' +
      'rigs, also of attempts that no customer paid for.',
  })
  @ApiOkResponse({ type: MarginDto, description: 'The sums of the period.' })
  @FailsWith('invalid_period', 'margin_too_large')
  async margin(@Query() query: MarginQueryDto): Promise<MarginDto> {
    return presentMargin(query, await this.#report(query));
  }

  @Get('report.csv')
  @ApiOperation({
    summary: 'Download the margin as CSV',
    description: 'A row for each row of the margin.',
  })
  @ApiProduces('text/csv')
  @ApiOkResponse({ ...FILE, description: 'The margin, RFC 4180.' })
  @FailsWith('invalid_period', 'margin_too_large')
  async csv(@Query() query: MarginQueryDto): Promise<StreamableFile> {
    const { from, to } = query;
    const order = orderOf(query);
    const csv = marginCsv(await this.#report(query), order.by);
    return download(Buffer.from(csv), CSV_TYPE, `margin-${from}-${to}.csv`);
  }

  #report(query: MarginQueryDto): Promise<MarginReport> {
    return this.queries.execute(new MarginQuery(orderOf(query), asOfOf(query)));
  }
}
