import { Controller, Get, Query, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { SLOTS } from '#areas/billing/explanations/rejection-memory.js';
import { RejectionsQuery } from '#areas/billing/explanations/rejections.handler.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { AccountOwnerGuard } from '../identity/account-owner.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { accountAsked } from '../requests/account-asked.js';
import { presentRejectionRow } from './explanations.presenter.js';
import { RejectionsDto, RejectionsQueryDto } from './rejections.dto.js';

@ApiTags('billing')
@Credentials('api-key', 'app-token', 'provider-token')
@UseGuards(AccountOwnerGuard)
@Scope('read_billing')
@Controller('api/v1/rejections')
export class RejectionsController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiOperation({
    summary: 'List the rejected requests',
    description:
      'Requests that the ledger rejected for money or a limit, with the facts that it decided ' +
      `with. It remembers ${SLOTS} of an account at most. ` +
      '`GET /api/v1/requests/{id}/explanation` has the rest of one.',
  })
  @ApiOkResponse({ type: RejectionsDto, description: 'The rejections, the last one first.' })
  @FailsWith('insufficient_role')
  async list(
    @Query() query: RejectionsQueryDto,
    @CurrentCaller() caller: Caller,
  ): Promise<RejectionsDto> {
    const accountId = accountAsked(query, caller);
    const remembered = await this.queries.execute(new RejectionsQuery(accountId));
    const { code } = query;
    const asked = remembered.filter((one) => code === undefined || one.code === code);
    return { success: true, rejections: asked.map(presentRejectionRow) };
  }
}
