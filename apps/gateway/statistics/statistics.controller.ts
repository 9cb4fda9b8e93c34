import { Controller, Get, Query, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PlatformStatisticsQuery } from '#areas/statistics/platform-statistics.handler.js';
import { ApiGuard } from '../identity/api.guard.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { asOfOf } from '../time-travel/as-of.dto.js';
import { StatisticsDto, StatisticsQueryDto } from './statistics.dto.js';
import { presentStatistics } from './statistics.presenter.js';

@ApiTags('statistics')
@UseGuards(ApiGuard)
@Controller('api/v1/stats')
export class StatisticsController {
  constructor(private readonly queries: QueryBus) {}

  @Get('metrics')
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
}
