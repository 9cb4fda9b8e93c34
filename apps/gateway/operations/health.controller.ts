import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import { Readiness } from './readiness.js';

/** For whoever decides whether to send requests here, or to restart it. */
@ApiExcludeController()
@Controller('health')
export class HealthController {
  constructor(@Inject(Readiness) private readonly readiness: Readiness) {}

  /** The process answers; nothing else is asked. */
  @Get('live')
  live(): object {
    return { status: 'live' };
  }

  @Get('ready')
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const report = await this.readiness.report();
    void reply.status(report.status === 'ready' ? 200 : 503).send(report);
  }
}
