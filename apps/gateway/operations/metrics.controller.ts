import { Controller, Get, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import { GatewayMetrics } from '../metrics/gateway-metrics.js';
import { Readiness } from './readiness.js';

/** Prometheus' text format. */
@ApiTags('operations')
@Controller('metrics')
export class MetricsController {
  constructor(
    private readonly metrics: GatewayMetrics,
    private readonly readiness: Readiness,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Metrics in the text format of Prometheus' })
  @ApiProduces('text/plain')
  @ApiOkResponse({ schema: { type: 'string', example: 'quipu_open_requests 0' } })
  async scrape(@Res() reply: FastifyReply): Promise<void> {
    const { head, lease, projections, reactions, rigs, open_requests } =
      await this.readiness.report();
    const { registry, logHead, readerPosition, readerStopped, rigState, openRequests } =
      this.metrics;
    if (head !== null) logHead.set(Number(head));
    if (lease) this.metrics.leader.set(lease.role === 'leader' ? 1 : 0);
    openRequests.set(open_requests);
    for (const { name, lagMs } of projections) {
      this.metrics.projectionLag.labels(name).set(lagMs / 1_000);
    }
    for (const { name, position, phase } of [...projections, ...reactions]) {
      readerPosition.labels(name).set(Number(position));
      readerStopped.labels(name).set(phase === 'stopped' ? 1 : 0);
    }
    for (const { name, breaker } of rigs) rigState.labels(name).set(breaker === 'open' ? 0 : 1);
    void reply.type(registry.contentType).send(await registry.metrics());
  }
}
