import { Controller, Get, Param, Query, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AuditLog } from '#areas/audit/audit-log.js';
import { AuditedRequestQuery, type AuditReader } from '#areas/audit/audited-request.handler.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { AsOfDto, asOfOf } from '../time-travel/as-of.dto.js';
import { AuditedRequestDto, AuditedRequestIdDto } from './audit.dto.js';
import { presentAuditedRequest } from './audit.presenter.js';

@ApiTags('audit')
@Credentials('api-key', 'app-token')
@UseGuards(ApiGuard)
@Scope('read_billing')
@Controller('audit/requests')
export class AuditedRequestsController {
  constructor(
    private readonly queries: QueryBus,
    private readonly log: AuditLog,
  ) {}

  @Get(':request_id')
  @ApiOperation({
    summary: 'The events of a request, with their proofs',
    description:
      'By the `x-request-id` of its answer. An account sees the events on its own stream and ' +
      'events that it caused; an Admin sees all. The answer waits until a checkpoint covers ' +
      'them. With `asOf` it has the events up to that state of the log.',
  })
  @ApiOkResponse({
    type: AuditedRequestDto,
    description: 'The events of the request and their proofs.',
  })
  @FailsWith('audited_request_not_found', 'audit_not_ready', 'audit_inconsistent')
  async find(
    @Param() { request_id: requestId }: AuditedRequestIdDto,
    @Query() options: AsOfDto,
    @CurrentCaller() caller: Caller,
  ): Promise<AuditedRequestDto> {
    const query = new AuditedRequestQuery(requestId, readerOf(caller), asOfOf(options));
    const events = await this.queries.execute(query);
    return presentAuditedRequest(requestId, this.log.verifierKey(), events);
  }
}

const readerOf = ({ role, accountId, userId, member }: Caller): AuditReader =>
  role === 'Admin' ? 'admin' : { accountId, userId: member ? null : userId };
