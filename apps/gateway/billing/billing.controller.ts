import { Controller, Get, Inject, Query, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccountOverviewQuery } from '#areas/billing/account-overview.handler.js';
import { InvoicesQuery } from '#areas/billing/invoices.handler.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { ApiKeyGuard } from '../identity/api-key.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { ApplicationFailures } from '../openapi/failures.docs.js';
import { BalanceOverviewDto, InvoiceListDto, InvoicesPageDto } from './billing.dto.js';
import { presentInvoices, presentOverview } from './billing.presenter.js';

@ApiTags('billing')
@Credentials('api-key')
@ApplicationFailures(401, 503)
@UseGuards(ApiKeyGuard)
@Controller('api/v1/billing')
export class BillingController {
  constructor(
    private readonly queries: QueryBus,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get('overview.php')
  @ApiOperation({
    summary: 'Balance, burn rate and runway',
    description:
      'The balance is the fold of the account’s events up to `position`. The burn rate covers ' +
      'the last 24 hours.',
  })
  @ApiOkResponse({ type: BalanceOverviewDto })
  async overview(@CurrentCaller() { accountId }: Caller): Promise<BalanceOverviewDto> {
    return presentOverview(await this.queries.execute(new AccountOverviewQuery(accountId)));
  }

  @Get('invoices.php')
  @ApiOperation({
    summary: 'Deposits and monthly usage statements, newest first',
    description:
      'A page of records. The statement of the current month is open; those of past months are ' +
      'completed.',
  })
  @ApiOkResponse({ type: InvoiceListDto })
  @ApplicationFailures(400)
  async invoices(
    @CurrentCaller() { accountId }: Caller,
    @Query() query: InvoicesPageDto,
  ): Promise<InvoiceListDto> {
    const page = await this.queries.execute(new InvoicesQuery(accountId, query.page, query.limit));
    const account = await this.queries.execute(new AccountOverviewQuery(accountId));
    return presentInvoices(query, page, account, this.clock.now());
  }
}
