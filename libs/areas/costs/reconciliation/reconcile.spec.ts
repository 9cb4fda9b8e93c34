import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type MarginRow } from '../margin.handler.js';
import { BILL_BYTES_MAX, readBill } from './bill-file.js';
import { reconcile } from './reconcile.js';

const DAY = '2026-11-01';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'quipu-bills-'));
});
afterEach(() => rm(folder, { recursive: true }));

const fileOf = async (...lines: readonly string[]): Promise<string> => {
  const file = path.join(folder, 'bill.csv');
  await writeFile(file, lines.join('\r\n'));
  return file;
};
const billOf = async (...lines: readonly string[]) => readBill(await fileOf(...lines));

const tokens = { inputTokens: null, outputTokens: null };

describe("a provider's export", () => {
  it('of OpenAI costs is summed by day and model', async () => {
    const bill = await billOf(
      '\ufeffstart_time,end_time,start_time_iso,end_time_iso,' +
        'amount_value,amount_currency,line_item,project_id',
      `1,2,${DAY}T00:00:00+00:00,x,0.8958740000000000,usd,"gpt-6-astra, input_tokens",p`,
      `1,2,${DAY}T00:00:00+00:00,x,1e-7,usd,"gpt-6-astra, output_tokens",p`,
      '1,2,2026-11-02T00:00:00+00:00,x,,,,',
    );
    expect(bill).toEqual({
      format: 'OpenAI costs',
      rows: 3,
      items: [{ day: DAY, model: 'gpt-6-astra', picoUsd: 895_874_100_000n, ...tokens }],
    });
  });

  it('of OpenAI usage states tokens only', async () => {
    const bill = await billOf(
      'start_time_iso,num_model_requests,model,input_tokens,output_tokens,input_cached_tokens',
      `${DAY}T00:00:00+00:00,3,gpt-6-astra,100,20,50`,
      `${DAY}T00:01:00+00:00,1,gpt-6-astra,11,2,`,
    );
    expect(bill.items).toEqual([
      { day: DAY, model: 'gpt-6-astra', picoUsd: null, inputTokens: 111, outputTokens: 22 },
    ]);
  });

  it('of Anthropic usage has every class of input', async () => {
    const bill = await billOf(
      'usage_date_utc,model_version,api_key,workspace,usage_type,context_window,' +
        'usage_input_tokens_no_cache,usage_input_tokens_cache_write_5m,' +
        'usage_input_tokens_cache_write_1h,usage_input_tokens_cache_read,usage_output_tokens',
      `${DAY},claude-opus-5-5,k,Default,standard,≤ 200k,1,20,300,4000,5`,
    );
    expect(bill.items).toMatchObject([
      { model: 'claude-opus-5-5', inputTokens: 4_321, outputTokens: 5 },
    ]);
  });

  it('of Anthropic costs and of Azure states amounts, also credits', async () => {
    const anthropic = await billOf(
      'usage_date_utc,model,workspace,token_type,cost_usd',
      `${DAY},Claude Haiku 4.5,Default,input_no_cache,0.05`,
    );
    expect(anthropic.items).toMatchObject([{ picoUsd: 50_000_000_000n }]);
    const azure = await billOf(
      'Date,MeterName,Quantity,UnitOfMeasure,CostInBillingCurrency,BillingCurrency',
      '11/01/2026,gpt-4o-0806-Inp-glbl Tokens,2,1K,-0.25,USD',
    );
    expect(azure.items).toMatchObject([
      { day: DAY, model: 'gpt-4o-0806-Inp-glbl Tokens', picoUsd: -250_000_000_000n },
    ]);
  });

  it.each<[string, readonly string[], string]>([
    ['no known columns', ['a,b', '1,2'], 'has the columns of no known export'],
    [
      'a column missing',
      ['amount_value,start_time_iso', '1,2'],
      'is an export of OpenAI costs without amount_currency, line_item',
    ],
    [
      'another currency',
      ['start_time_iso,amount_value,amount_currency,line_item', `${DAY}T00:00:00Z,1,eur,gpt`],
      'row 1: amount_currency: expected usd, received "eur"',
    ],
    [
      'a bad amount',
      ['usage_date_utc,model,token_type,cost_usd', `${DAY},m,t,1`, `${DAY},m,t,much`],
      'row 2: cost_usd: expected an amount in USD, received "much"',
    ],
    [
      'a bad day',
      ['usage_date_utc,model,token_type,cost_usd', '2026-13-01,m,t,1'],
      'row 1: usage_date_utc: expected a day',
    ],
    [
      'rows of unequal length',
      ['usage_date_utc,model,token_type,cost_usd', 'a,b'],
      'Invalid Record',
    ],
    ['nothing', [''], 'is empty'],
    ['an endless cell', [`"${'x'.repeat(200_000)}`], 'Max Record Size'],
  ])('with %s is refused', async (_, lines, problem) => {
    await expect(billOf(...lines)).rejects.toThrow(problem);
  });

  it('above the size limit is refused before it is read', async () => {
    const file = await fileOf('x');
    await truncate(file, BILL_BYTES_MAX + 1);
    await expect(readBill(file)).rejects.toThrow('is larger than');
  });
});

const recorded = (sent: string, more: Partial<MarginRow> = {}): MarginRow => ({
  group: { day: DAY, sent },
  charges: 1,
  chargedMicroUsd: 5n,
  attempts: 2,
  stated: 0,
  computed: 1,
  inputTokens: 10,
  outputTokens: 1,
  costPicoUsd: 3_000_000n,
  marginPicoUsd: 2_000_000n,
  ...more,
});
const billed = (model: string, picoUsd: bigint) => ({ day: DAY, model, picoUsd, ...tokens });

describe('a reconciliation', () => {
  it('joins names with a date or a meter, and guesses no others', () => {
    const rows = reconcile(
      [
        billed('gpt-4o-2024-08-06', 1n),
        billed('gpt-4o-0806-Inp-glbl Tokens', 2n),
        billed('gpt-4o-mini-2024-07-18', 4n),
        billed('Claude Haiku 4.5', 8n),
        billed('web search', 16n),
      ],
      [recorded('gpt-4o'), recorded('claude-haiku-4-5-20251001')],
    );
    expect(rows.map(({ model, billedPicoUsd }) => [model, billedPicoUsd])).toEqual([
      ['claude-haiku-4-5-20251001', 8n],
      ['gpt-4o', 3n],
      ['gpt-4o-mini-2024-07-18', 4n],
      ['web search', 16n],
    ]);
  });

  it('has three amounts, and a difference where both sides are known', () => {
    const rows = reconcile(
      [billed('m', 3_500_000n), billed('unknown-cost', 1n), billed('only-billed', 1n)],
      [
        recorded('m'),
        recorded('unknown-cost', { costPicoUsd: null, computed: 0 }),
        recorded('only-recorded'),
      ],
    );
    expect(rows).toMatchObject([
      { model: 'm', chargedPicoUsd: 5_000_000n, differencePicoUsd: 500_000n, unknown: 1 },
      { model: 'only-billed', costPicoUsd: null, differencePicoUsd: null, attempts: 0 },
      { model: 'only-recorded', billedPicoUsd: null, differencePicoUsd: null },
      { model: 'unknown-cost', costPicoUsd: null, differencePicoUsd: null, unknown: 2 },
    ]);
  });
});
