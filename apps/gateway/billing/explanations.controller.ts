import { Controller, Get, Param, Query, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ExplainRequestQuery } from '#areas/billing/explanations/explain-request.handler.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { AccountOwnerGuard } from '../identity/account-owner.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { insufficientRole } from '../identity/identity.failures.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { ExplanationDto, ExplanationOptionsDto, RequestIdDto } from './explanations.dto.js';
import { presentExplanation } from './explanations.presenter.js';
import { asOfOf } from '../time-travel/as-of.dto.js';
import { PositionsIn } from '../time-travel/position.interceptor.js';

const ADMIN = 'Admin';

/** Why a request was admitted or rejected; an addition to the promised interface. */
@ApiTags('billing')
@Credentials('api-key', 'app-token', 'provider-token')
@UseGuards(AccountOwnerGuard)
@Scope('read_billing')
@Controller('api/v1/requests')
export class ExplanationsController {
  constructor(private readonly queries: QueryBus) {}

  @Get(':id/explanation')
  @PositionsIn('events', 'rejection', 'evidence')
  @ApiOperation({
    summary: 'Explain a request',
    description:
      'The facts on which the ledger decided: the hold with its lines and prices, the charge, ' +
      'the balance before and after with their numbers in the log. A rejection for money or a ' +
      'limit is explained while it is remembered: the last ones of each account.',
  })
  @ApiOkResponse({ type: ExplanationDto, description: 'The facts of the request.' })
  @FailsWith('request_not_found', 'insufficient_role')
  async explain(
    @Param() { id }: RequestIdDto,
    @Query() options: ExplanationOptionsDto,
    @CurrentCaller() { accountId: own, role }: Caller,
  ): Promise<ExplanationDto> {
    const { account_id: accountId } = options;
    if (accountId !== undefined && accountId !== own && role !== ADMIN) {
      throw insufficientRole([ADMIN]);
    }
    const query = new ExplainRequestQuery(id.toLowerCase(), accountId ?? own, asOfOf(options));
    return presentExplanation(await this.queries.execute(query));
  }
}
