import { Controller, Get, Query, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { TaxComplianceQuery } from '#areas/tax/tax-compliance.handler.js';
import { parseUsd } from '#platform/kernel/money.js';
import { ApiGuard } from '../identity/api.guard.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { TaxComplianceDto, TaxComplianceQueryDto } from './tax.dto.js';
import { presentCompliance } from './tax.presenter.js';

@ApiTags('tax')
@UseGuards(ApiGuard)
@Scope('read_billing')
@Controller('api/v1/tax_compliance')
export class TaxComplianceController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @Credentials('api-key', 'app-token')
  @ApiOperation({
    summary: 'Tax on a payout',
    description:
      'What is withheld from a payout to a country, with its VAT or GST. `compliance_regime` ' +
      'states the rule and the assumptions. A country that the tables lack is an error.',
  })
  @ApiOkResponse({ type: TaxComplianceDto, description: 'The withholding and the net amount.' })
  @FailsWith('country_unknown', 'region_unknown')
  async compliance(@Query() query: TaxComplianceQueryDto): Promise<TaxComplianceDto> {
    const { country, amount, treaty_claimed } = query;
    const claimed = treaty_claimed === 'true';
    const asked = new TaxComplianceQuery(country, parseUsd(amount), claimed);
    return presentCompliance(await this.queries.execute(asked));
  }
}
