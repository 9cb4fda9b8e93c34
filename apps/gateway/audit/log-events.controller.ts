import { Controller, Get, Param, Query, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AuditLog } from '#areas/audit/audit-log.js';
import { LogEventQuery, LogEventsQuery } from '#areas/audit/log-events.handler.js';
import { LogStateQuery } from '#areas/audit/log-state.handler.js';
import { type EventFilter } from '#platform/event-store/event-store.port.js';
import { rejectedField } from '#platform/runtime/commands/rejected-request.js';
import { ApiGuard } from '../identity/api.guard.js';
import { Roles } from '../identity/roles.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import {
  LogEventFoundDto,
  LogEventParametersDto,
  LogEventsDto,
  LogEventsPageDto,
  LogStateDto,
} from './audit.dto.js';
import { presentLogEvent, presentLogEvents, presentLogState } from './audit.presenter.js';

/** For Admins only: an event may be of any account. */
@ApiTags('audit')
@Credentials('api-key', 'app-token')
@UseGuards(ApiGuard)
@Roles('Admin')
@Scope('operate')
@Controller('audit')
export class LogEventsController {
  constructor(
    private readonly queries: QueryBus,
    private readonly log: AuditLog,
  ) {}

  @Get('state')
  @ApiOperation({
    summary: 'The state of the published log',
    description: 'Only for an Admin: the last checkpoint, its witnesses, and a contradiction.',
  })
  @ApiOkResponse({ type: LogStateDto, description: 'The state.' })
  @FailsWith('audit_not_ready')
  async state(): Promise<LogStateDto> {
    return presentLogState(this.log.verifierKey(), await this.queries.execute(new LogStateQuery()));
  }

  @Get('events')
  @ApiOperation({
    summary: 'List the events of the log',
    description:
      'Only for an Admin. The published events in their order, without their data, all or by the ' +
      'beginning of their stream or type.',
  })
  @ApiOkResponse({ type: LogEventsDto, description: 'The events.' })
  @FailsWith('audit_not_ready', 'tree_size_unknown')
  async list(@Query() query: LogEventsPageDto): Promise<LogEventsDto> {
    const { after, limit } = query;
    const filter = filterOf(query);
    const order = { after, limit, ...(filter && { filter }) };
    return presentLogEvents(await this.queries.execute(new LogEventsQuery(order)), limit);
  }

  @Get('events/:position')
  @ApiOperation({
    summary: 'Get an event of the log',
    description: 'Only for an Admin. One published event with its data and its inclusion proof.',
  })
  @ApiOkResponse({ type: LogEventFoundDto, description: 'The event.' })
  @FailsWith('audit_not_ready', 'audit_inconsistent', 'leaf_not_found')
  async find(@Param() { position }: LogEventParametersDto): Promise<LogEventFoundDto> {
    const found = await this.queries.execute(new LogEventQuery(position));
    return presentLogEvent(this.log.verifierKey(), found);
  }
}

/** @throws RejectedRequestError 400 for both fields */
const filterOf = ({ stream, type }: LogEventsPageDto): EventFilter | undefined => {
  if (stream !== undefined && type !== undefined) {
    throw rejectedField('type', 'expected no type where a stream is given');
  }
  if (stream !== undefined) return { by: 'stream', prefixes: [stream] };
  return type === undefined ? undefined : { by: 'type', prefixes: [type] };
};
