import { Controller, Get, Param, StreamableFile, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { ExportBillQuery } from '#areas/audit/export-bill.handler.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { StatementMonthDto } from '../billing/statements.dto.js';
import { ApiKeyGuard } from '../identity/api-key.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';

@ApiTags('audit')
@Credentials('api-key')
@UseGuards(ApiKeyGuard)
@Scope('read_billing')
@Controller('api/v1/billing/statements')
export class BillsController {
  constructor(private readonly queries: QueryBus) {}

  @Get(':month.zip')
  @ApiOperation({
    summary: 'Download the statement of a month with its proof',
    description:
      'Every event of the account up to the end of the statement, the rate cards, the proofs ' +
      'that all of them are in the log, and its checkpoint. `node verify-bill.mjs statement.zip` ' +
      'recomputes the statement from them, without a server.',
  })
  @ApiProduces('application/zip')
  @ApiOkResponse({
    schema: { type: 'string', format: 'binary' },
    description: 'The archive. An event that cannot be proven ends the connection early.',
  })
  @FailsWith('statement_not_found', 'bill_too_large', 'audit_not_ready', 'audit_inconsistent')
  async download(
    @CurrentCaller() { accountId }: Caller,
    @Param() { month }: StatementMonthDto,
  ): Promise<StreamableFile> {
    return new StreamableFile(await this.queries.execute(new ExportBillQuery(accountId, month)), {
      type: 'application/zip',
      disposition: `attachment; filename="statement-${month}.zip"`,
    });
  }
}
