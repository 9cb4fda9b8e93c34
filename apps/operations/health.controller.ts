import { Controller, Get, Res } from '@nestjs/common';
import {
  ApiOkResponse,
  ApiOperation,
  ApiServiceUnavailableResponse,
  ApiTags,
} from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import { Readiness, type ReadinessReport } from './readiness.js';

const reportSchema = (status: ReadinessReport['status'], ...reasons: readonly string[]) => ({
  type: 'object' as const,
  required: ['status', 'reasons'],
  properties: {
    status: { type: 'string' as const, enum: ['ready', 'not_ready'] },
    reasons: { type: 'array' as const, items: { type: 'string' as const } },
  },
  additionalProperties: true,
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

/** Health routes for load balancers and for the supervisor that restarts processes. */
@ApiTags('operations')
@Controller('health')
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Get('live')
  @ApiOperation({
    summary: 'Whether the process answers',
    description: 'Asks nothing else: a process that fails this should be restarted.',
  })
  @ApiOkResponse({
    description: 'The process answers.',
    schema: { type: 'object', example: { status: 'live' } },
  })
  live(): object {
    return { status: 'live' };
  }

  @Get('ready')
  @ApiOperation({
    summary: 'Which parts are behind, stopped or not writable',
    description: 'A process that fails this should get no requests until it passes again.',
  })
  @ApiOkResponse({ description: 'Nothing is wrong.', schema: reportSchema('ready') })
  @ApiServiceUnavailableResponse({
    description: '`reasons` lists what is wrong.',
    schema: reportSchema('not_ready', 'draining'),
  })
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const report = await this.readiness.report();
    void reply.status(report.status === 'ready' ? 200 : 503).send(report);
  }
}
