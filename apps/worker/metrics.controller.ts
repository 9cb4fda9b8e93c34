import { Controller, Get, Res } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { TaskRunner } from './task-runner.js';
import { WorkerMetrics } from './worker-metrics.js';

/** Prometheus' text format. */
@Controller('metrics')
export class MetricsController {
  constructor(
    private readonly metrics: WorkerMetrics,
    private readonly runner: TaskRunner,
  ) {}

  @Get()
  async scrape(@Res() reply: FastifyReply): Promise<void> {
    const { registry, running } = this.metrics;
    running.set(this.runner.running);
    void reply.type(registry.contentType).send(await registry.metrics());
  }
}
