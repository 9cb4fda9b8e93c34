import { Controller, Get, Inject, Res } from '@nestjs/common';
import {
  ApiOkResponse,
  ApiOperation,
  ApiServiceUnavailableResponse,
  ApiTags,
} from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import { Readiness, type ReadinessReport } from './readiness.js';

const report = (status: ReadinessReport['status'], ...reasons: readonly string[]) => ({
  type: 'object' as const,
  example: {
    status,
    reasons,
    event_store: { writable: true, reason: null },
    read_store: { reachable: true, reason: null },
    bus: { reachable: true, reason: null },
    lease: null,
    head: '42',
    projections: [],
    reactions: [],
    rigs: [],
    open_requests: 0,
  },
});

/** For whoever decides whether to send requests here, or to restart it. */
@ApiTags('operations')
@Controller('health')
export class HealthController {
  constructor(@Inject(Readiness) private readonly readiness: Readiness) {}

  /** The process answers; nothing else is asked. */
  @Get('live')
  @ApiOperation({ summary: 'Whether the process answers' })
  @ApiOkResponse({ schema: { type: 'object', example: { status: 'live' } } })
  live(): object {
    return { status: 'live' };
  }

  @Get('ready')
  @ApiOperation({ summary: 'What is behind, stopped or not writable' })
  @ApiOkResponse({ description: 'Nothing is wrong.', schema: report('ready') })
  @ApiServiceUnavailableResponse({
    description: '`reasons` says what is wrong.',
    schema: report('not_ready', 'draining'),
  })
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const report = await this.readiness.report();
    void reply.status(report.status === 'ready' ? 200 : 503).send(report);
  }
}
