import { Controller, Get, Query, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccountOverviewQuery } from '#areas/billing/account-overview.handler.js';
import { InvoicesQuery } from '#areas/billing/invoices.handler.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { TaxStatusQuery } from '#areas/tax/tax-status.handlers.js';
import { ApiKeyGuard } from '../identity/api-key.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { PageDto } from '../pages/page.dto.js';
import { PaymentPages } from '../payments/payment-pages.js';
import { AsOfDto, asOfOf } from '../time-travel/as-of.dto.js';
import { BalanceOverviewDto, InvoiceListDto } from './billing.dto.js';
import { presentInvoices, presentOverview } from './billing.presenter.js';

@ApiTags('billing')
@Credentials('api-key')
@UseGuards(ApiKeyGuard)
@Scope('read_billing')
@Controller('api/v1/billing')
export class BillingController {
  constructor(
    private readonly queries: QueryBus,
    private readonly pages: PaymentPages,
  ) {}

  @Get('overview.php')
  @ApiOperation({
    summary: 'Balance, burn rate and runway',
    description:
      'The balance is the fold of the account’s events up to `position`. The burn rate covers ' +
      'the last 24 hours. With `asOf` it is the overview of that state of the log.',
  })
  @ApiOkResponse({
    type: BalanceOverviewDto,
    description: 'The balance and the figures of the account.',
  })
  async overview(
    @CurrentCaller() { accountId }: Caller,
    @Query() query: AsOfDto,
  ): Promise<BalanceOverviewDto> {
    const asOf = asOfOf(query);
    const account = await this.queries.execute(new AccountOverviewQuery(accountId, asOf));
    const tax = await this.queries.execute(new TaxStatusQuery(accountId, asOf));
    return presentOverview(account, tax);
  }

  @Get('invoices.php')
  @ApiOperation({
    summary: 'Deposits, crypto invoices, monthly usage statements and corrections, newest first',
    description:
      'A page of records. A statement is open until its month is closed, a day after its end; ' +
      'then it never changes, and states its tax. With `asOf` the page shows that state of ' +
      'the log.',
  })
  @ApiOkResponse({ type: InvoiceListDto, description: 'A page of the entries.' })
  async invoices(
    @CurrentCaller() { accountId }: Caller,
    @Query() query: PageDto,
  ): Promise<InvoiceListDto> {
    const asOf = asOfOf(query);
    const { page: number, limit } = query;
    const page = await this.queries.execute(new InvoicesQuery(accountId, number, limit, asOf));
    const account = await this.queries.execute(new AccountOverviewQuery(accountId, asOf));
    return presentInvoices(query, page, account, (id) => this.pages.of(id));
  }
}
