import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import { Registry } from 'prom-client';
import { type MetricsSource } from '#platform/runtime/operations.js';

export const METRICS_SOURCES = Symbol('MetricsSources');

@ApiTags('operations')
@Controller('metrics')
export class MetricsController {
  constructor(
    private readonly registry: Registry,
    @Inject(METRICS_SOURCES) private readonly sources: readonly MetricsSource[],
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Metrics in the text format of Prometheus',
    description:
      'Names follow the OpenTelemetry semantic conventions for generative AI where these have ' +
      'one; all others start with `quipu_`.',
  })
  @ApiProduces('text/plain')
  @ApiOkResponse({
    description: 'All metrics of this process.',
    schema: { type: 'string', example: 'quipu_open_requests 0' },
  })
  async scrape(@Res() reply: FastifyReply): Promise<void> {
    await Promise.all(this.sources.map(async (source) => source.collect()));
    void reply.type(this.registry.contentType).send(await this.registry.metrics());
  }
}
