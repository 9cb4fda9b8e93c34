import { Controller, Get, Res } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { WorkerHealth } from './worker-health.js';

/** Health routes for the orchestrator that restarts the worker. */
@Controller('health')
export class HealthController {
  constructor(private readonly health: WorkerHealth) {}

  /** Checks only that the process answers. */
  @Get('live')
  live(): object {
    return { status: 'live' };
  }

  @Get('ready')
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const report = await this.health.report();
    void reply.status(report.status === 'ready' ? 200 : 503).send(report);
  }
}
