import { Controller, Get, Req, Res } from '@nestjs/common';
import {
  ApiOkResponse,
  ApiOperation,
  ApiServiceUnavailableResponse,
  ApiTags,
} from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { OperationsReports } from './operations-reports.js';
import { type ReadinessReport } from './readiness.js';
import { sendReport } from './send-report.js';

const reportSchema = (status: ReadinessReport['status'], ...reasons: readonly string[]) => ({
  type: 'object' as const,
  required: ['status'],
  properties: {
    status: { type: 'string' as const, enum: ['ready', 'not_ready'] },
    reasons: {
      type: 'array' as const,
      items: { type: 'string' as const },
      description: 'Codes, such as `event_log_unavailable` and `read_model_lagging`.',
    },
    details: {
      type: 'array' as const,
      items: { type: 'string' as const },
      description: 'A sentence for each reason of each part.',
    },
  },
  additionalProperties: true,
  example: {
    status,
    reasons,
    details: reasons.map(() => 'the process stops'),
    event_store: { writable: true, reason: null },
    read_store: { reachable: true, reason: null },
    bus: { reachable: true, reason: null },
    tasks: { ready: true, reason: null },
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
  constructor(private readonly reports: OperationsReports) {}

  @Get('live')
  @ApiOperation({
    summary: 'Whether the process answers',
    description: 'Asks nothing else: a process that fails this should be restarted.',
  })
  @ApiOkResponse({
    description: 'The process answers.',
    schema: { type: 'object', example: { status: 'live' } },
  })
  live(@Res() reply: FastifyReply): void {
    sendReport(reply, this.reports.live());
  }

  @Get('ready')
  @ApiOperation({
    summary: 'Which parts are behind, stopped or not writable',
    description:
      'A process that fails this should get no requests until it passes again. Reasons and facts ' +
      'are shown on the operations port, and to requests with the operations token.',
  })
  @ApiOkResponse({ description: 'Nothing is wrong.', schema: reportSchema('ready') })
  @ApiServiceUnavailableResponse({
    description: 'Something is wrong.',
    schema: reportSchema('not_ready', 'draining'),
  })
  async ready(@Req() { headers }: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    sendReport(reply, await this.reports.ready(headers));
  }
}
