import { Controller, Get, Query, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { DataMovedQuery } from '#areas/statistics/data-moved.handler.js';
import { PlatformStatisticsQuery } from '#areas/statistics/platform-statistics.handler.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { insufficientRole } from '../identity/identity.failures.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { asOfOf } from '../time-travel/as-of.dto.js';
import {
  DataMovedDto,
  DataMovedQueryDto,
  StatisticsDto,
  StatisticsQueryDto,
} from './statistics.dto.js';
import { presentDataMoved, presentStatistics } from './statistics.presenter.js';
import { PositionsIn } from '../time-travel/position.interceptor.js';

@ApiTags('statistics')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('api/v1/stats')
export class StatisticsController {
  constructor(private readonly queries: QueryBus) {}

  @Get('metrics')
  @PositionsIn(
    'summary',
    'charts',
    'revenue_trend',
    'gpu_brand_distribution',
    'telemetry_timeseries',
  )
  @Credentials('api-key', 'app-token', 'renter-key')
  @ApiOperation({
    summary: 'Anonymous figures of the platform',
    description:
      'Every figure is folded from the events up to `position`, and ' +
      '`quipu stats recompute --at <position>` recomputes it. The timespan ends at the last full ' +
      'five minutes. Figures of small groups are null.',
  })
  @ApiOkResponse({ type: StatisticsDto, description: 'The figures.' })
  @FailsWith('invalid_timespan')
  async metrics(@Query() query: StatisticsQueryDto): Promise<StatisticsDto> {
    const { timespan, metric_type: metricType } = query;
    const statistics = new PlatformStatisticsQuery(timespan, asOfOf(query));
    return presentStatistics(await this.queries.execute(statistics), timespan, metricType);
  }

  @Get('data_moved')
  @Credentials('api-key', 'app-token', 'renter-key')
  @ApiOperation({
    summary: 'How much data the answers of a month had',
    description:
      'Bytes of the answers of every route to the account, and the content of charged answers by ' +
      'rig. An Admin sees the answers to all accounts with `scope=platform`.',
  })
  @ApiOkResponse({ type: DataMovedDto, description: 'The bytes of the month.' })
  @FailsWith('insufficient_role')
  async dataMoved(
    @CurrentCaller() { accountId, role }: Caller,
    @Query() query: DataMovedQueryDto,
  ): Promise<DataMovedDto> {
    const isPlatform = query.scope === 'platform';
    if (isPlatform && role !== 'Admin') throw insufficientRole(['Admin']);
    const asked = new DataMovedQuery(isPlatform ? null : accountId, query.month, asOfOf(query));
    return presentDataMoved(await this.queries.execute(asked), query.scope);
  }
}
