import { Controller, Get, Res } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { TaskRunners } from './task-runners.js';
import { WorkerMetrics } from './worker-metrics.js';

/** Prometheus' text format. */
@Controller('metrics')
export class MetricsController {
  constructor(
    private readonly metrics: WorkerMetrics,
    private readonly runners: TaskRunners,
  ) {}

  @Get()
  async scrape(@Res() reply: FastifyReply): Promise<void> {
    for (const runner of this.runners.all) {
      this.metrics.observe(runner.definition.name, runner.running, runner.counts());
    }
    const { registry } = this.metrics;
    void reply.type(registry.contentType).send(await registry.metrics());
  }
}
