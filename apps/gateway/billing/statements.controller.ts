import { Controller, Get, Param, Query, StreamableFile, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { InvoicePartiesQuery } from '#areas/billing/statements/invoice-details.handlers.js';
import { StatementQuery } from '#areas/billing/statements/statement.handler.js';
import { statementCsv } from '#areas/billing/statements/statement.csv.js';
import { statementPdf } from '#areas/billing/statements/statement.pdf.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { CSV_TYPE, download, FILE } from '../bodies/download.js';
import { ApiKeyGuard } from '../identity/api-key.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { AsOfDto, asOfOf } from '../time-travel/as-of.dto.js';
import { presentStatement } from './statement.presenter.js';
import { StatementDto, StatementMonthDto } from './statements.dto.js';

@ApiTags('billing')
@Credentials('api-key')
@UseGuards(ApiKeyGuard)
@Scope('read_billing')
@Controller('api/v1/billing/statements')
export class StatementsController {
  constructor(private readonly queries: QueryBus) {}

  @Get(':month.csv')
  @ApiOperation({
    summary: 'Download the statement of a month as CSV',
    description:
      'One row for each line, deposit and adjustment. Charges are below zero. The rows up to the ' +
      'tax sum to the closing balance.',
  })
  @ApiProduces('text/csv')
  @ApiOkResponse({ ...FILE, description: 'The statement, RFC 4180.' })
  @FailsWith('statement_not_found', 'statement_too_large')
  async csv(
    @CurrentCaller() { accountId }: Caller,
    @Param() { month }: StatementMonthDto,
    @Query() query: AsOfDto,
  ): Promise<StreamableFile> {
    const statement = await this.queries.execute(
      new StatementQuery(accountId, month, asOfOf(query)),
    );
    return download(Buffer.from(statementCsv(statement)), CSV_TYPE, `statement-${month}.csv`);
  }

  @Get(':month.pdf')
  @ApiOperation({
    summary: 'Download the statement of a month as PDF',
    description:
      'The bytes of a closed statement never change. More than 1,000 lines are summed over days ' +
      'and jobs; the CSV has each.',
  })
  @ApiProduces('application/pdf')
  @ApiOkResponse({ ...FILE, description: 'The statement.' })
  @FailsWith('statement_not_found', 'statement_too_large')
  async pdf(
    @CurrentCaller() { accountId }: Caller,
    @Param() { month }: StatementMonthDto,
    @Query() query: AsOfDto,
  ): Promise<StreamableFile> {
    const statement = await this.queries.execute(
      new StatementQuery(accountId, month, asOfOf(query)),
    );
    const parties = await this.queries.execute(
      new InvoicePartiesQuery(accountId, statement.parties),
    );
    const pdf = await statementPdf(statement, parties);
    return download(pdf, 'application/pdf', `statement-${month}.pdf`);
  }

  @Get(':month')
  @ApiOperation({
    summary: 'Get the statement of a month',
    description:
      'Lines per day, model, job and price, with deposits, adjustments and tax. The lines sum to ' +
      'the charges to the micro-dollar. Amounts are decimal micro-dollars.',
  })
  @ApiOkResponse({ type: StatementDto, description: 'The statement.' })
  @FailsWith('statement_not_found', 'statement_too_large')
  async find(
    @CurrentCaller() { accountId }: Caller,
    @Param() { month }: StatementMonthDto,
    @Query() query: AsOfDto,
  ): Promise<StatementDto> {
    return presentStatement(
      await this.queries.execute(new StatementQuery(accountId, month, asOfOf(query))),
    );
  }
}
