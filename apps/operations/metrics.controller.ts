import { Controller, Get, Req, Res } from '@nestjs/common';
import {
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProduces,
  ApiTags,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { OperationsReports } from './operations-reports.js';
import { sendReport } from './send-report.js';

@ApiTags('operations')
@Controller('metrics')
export class MetricsController {
  constructor(private readonly reports: OperationsReports) {}

  @Get()
  @ApiOperation({
    summary: 'Metrics in the text format of Prometheus',
    description:
      'Names follow the OpenTelemetry semantic conventions for generative AI where these have ' +
      'one; all others start with `quipu_`. Shown on the operations port, and to requests with ' +
      'the operations token.',
  })
  @ApiProduces('text/plain')
  @ApiOkResponse({
    description: 'All metrics of this process.',
    schema: { type: 'string', example: 'quipu_open_requests 0' },
  })
  @ApiUnauthorizedResponse({ description: 'The operations token is missing or wrong.' })
  @ApiNotFoundResponse({ description: 'The process has no operations token.' })
  async scrape(@Req() { headers }: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    sendReport(reply, await this.reports.metrics(headers));
  }
}
