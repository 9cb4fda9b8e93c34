import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { parseUsd, toUsd } from '#platform/kernel/money.js';
import {
  BY_THE_CALL,
  defineTool,
  type ToolEstimate,
  type ToolOutcome,
  type ToolRunner,
} from '#platform/tools/tool.js';
import { TaxComplianceQuery } from './tax-compliance.handler.js';

const TaxToolInput = z.strictObject({
  country: z
    .string()
    .regex(/^[A-Z]{2}$/)
    .describe('The country of the payee, two capital letters of ISO 3166-1.'),
  amount_usd: z
    .string()
    .regex(/^\d{1,12}(\.\d{1,6})?$/)
    .describe('The gross payout in USD, such as 1250.50.'),
  treaty_claimed: z.boolean().default(false).describe('Whether the payee claims treaty benefits.'),
});
type TaxToolInput = z.infer<typeof TaxToolInput>;

const TaxToolOutput = z.strictObject({
  gross_amount: z.number(),
  withholding_rate_pct: z.number(),
  withheld_amount: z.number(),
  net_payout: z.number(),
  vat_rate_pct: z.number(),
  /** The provision, and where it and the rate of VAT are stated. */
  article: z.string(),
  source: z.string(),
  vat_source: z.string(),
  tables_as_of: z.strictObject({ vat: z.string(), withholding: z.string() }),
  stale_tables: z.array(z.enum(['vat', 'withholding'])),
});
type TaxToolOutput = z.infer<typeof TaxToolOutput>;

const PPM_PER_PERCENT = 10_000;

/** The answer of `GET /api/v1/tax_compliance`, as a tool. It has no effect. */
@Injectable()
export class TaxTool implements ToolRunner<TaxToolInput, TaxToolOutput> {
  constructor(private readonly queries: QueryBus) {}

  estimate(): Promise<ToolEstimate> {
    return Promise.resolve({ lines: [], rateCardVersion: null });
  }

  /** @throws DomainError `country_unknown` */
  async run(input: TaxToolInput): Promise<ToolOutcome<TaxToolOutput>> {
    const { country, amount_usd: amount, treaty_claimed: isClaimed } = input;
    const { grossMicroUsd, netMicroUsd, withheld, vat, stale } = await this.queries.execute(
      new TaxComplianceQuery(country, parseUsd(amount), isClaimed),
    );
    const output = {
      gross_amount: toUsd(grossMicroUsd),
      withholding_rate_pct: withheld.ratePercent,
      withheld_amount: toUsd(withheld.withheldMicroUsd),
      net_payout: toUsd(netMicroUsd),
      vat_rate_pct: vat.ratePpm / PPM_PER_PERCENT,
      article: withheld.article,
      source: withheld.source,
      vat_source: vat.source,
      tables_as_of: { vat: vat.asOf, withholding: withheld.asOf },
      stale_tables: [...stale],
    };
    return { output, used: [], counters: {} };
  }
}

export const taxTool = defineTool({
  name: 'tax',
  description: 'What a payout to a payee in a country comes to after withholding tax.',
  input: TaxToolInput,
  output: TaxToolOutput,
  meters: BY_THE_CALL,
  runner: TaxTool,
});
