import { describe, expect, it } from '@jest/globals';
import { parseCatalog } from '../catalog.parser.js';
import { readPriceList } from './price-list.js';
import { proposePrices, type ProposalOptions } from './price-proposal.js';

const FILE = '/etc/quipu/catalog.yaml';
const catalogOf = (price: string, more = ''): string => `# kept
rigs: [{ name: up, kind: openai, base_url: 'http://up/v1' }]
models:
  # kept, too
  - { id: acme/gpt, upstream_id: gpt-5.1, owned_by: acme, rigs: [up], context: 400000,
      price: ${price} }
${more}`;
const OLD = '{ input_usd_per_mtok: 1, output_usd_per_mtok: 8 }';

const proposal = (list: unknown, options: ProposalOptions = {}, source = catalogOf(OLD)) => {
  const { rows, format } = readPriceList(Buffer.from(JSON.stringify(list)));
  const proposed = proposePrices(source, FILE, rows, options);
  return { ...proposed, format, price: parseCatalog(proposed.source, FILE).models[0]?.price };
};

describe('a list of LiteLLM', () => {
  const row = {
    litellm_provider: 'openai',
    mode: 'chat',
    input_cost_per_token: 1.25e-6,
    output_cost_per_token: 1e-5,
    cache_read_input_token_cost: 1.25e-7,
    cache_creation_input_token_cost: 1.5625e-6,
    cache_creation_input_token_cost_above_1hr: 2.5e-6,
    input_cost_per_audio_token: 4e-6,
    input_cost_per_token_above_272k_tokens: 2.5e-6,
    cache_read_input_token_cost_above_272k_tokens: 2.5e-7,
    cache_creation_input_token_cost_above_272k_tokens: 3.125e-6,
    input_cost_per_token_priority: 2.5e-6,
    output_cost_per_token_priority: 2e-5,
    input_cost_per_token_above_272k_tokens_priority: 5e-6,
    output_cost_per_token_batches: 5e-6,
    search_context_cost_per_query: { search_context_size_low: 0.01 },
  };
  const list = { sample_spec: { litellm_provider: 'one of' }, 'gpt-5.1': row };

  it('becomes prices of every class and tier, exactly', () => {
    const { format, price, models } = proposal(list);
    expect(format).toBe('litellm');
    expect(price).toEqual({
      inputMicroUsdPerMtok: '1250000',
      outputMicroUsdPerMtok: '10000000',
      classes: {
        cache_read_tokens: '125000',
        cache_write_5m_tokens: '1562500',
        cache_write_1h_tokens: '2500000',
        audio_input_tokens: '4000000',
      },
      tiers: [
        {
          aboveInputTokens: 272_000,
          mode: 'whole',
          prices: {
            input_tokens: '2500000',
            cache_read_tokens: '250000',
            cache_write_5m_tokens: '3125000',
          },
        },
      ],
      serviceTiers: {
        priority: {
          percent: 100,
          prices: { input_tokens: '2500000', output_tokens: '20000000' },
          tiers: [
            { aboveInputTokens: 272_000, mode: 'whole', prices: { input_tokens: '5000000' } },
          ],
        },
        batch: { percent: 100, prices: { output_tokens: '5000000' } },
      },
    });
    expect(models).toMatchObject([
      {
        model: 'acme/gpt',
        listed: 'gpt-5.1',
        problem: null,
        changes: expect.arrayContaining([
          { field: 'input_usd_per_mtok', from: '1', to: '1.25' },
          { field: 'tiers[above 272000].input_usd_per_mtok', from: null, to: '2.5' },
          { field: 'service_tiers.priority.output_usd_per_mtok', from: null, to: '20' },
        ]),
        notes: expect.arrayContaining([
          expect.stringContaining('search_context_cost_per_query has no field here'),
        ]),
      },
    ]);
  });

  it('keeps the comments of the catalog, and changes nothing when it is taken over again', () => {
    const { source } = proposal(list);
    expect(source).toContain('# kept\n');
    expect(source).toContain('# kept, too');
    const again = proposal(list, {}, source);
    expect(again).toMatchObject({ isChanged: false, source });
  });

  it.each<[string, object, string]>([
    ['float noise', { ...row, input_cost_per_token: 1.5000000000000002e-7 }, 'whole micro-dollars'],
    ['a negative price', { ...row, input_cost_per_token: -1 }, 'input_cost_per_token: expected'],
    ['no price', { litellm_provider: 'openai' }, 'has no price for input tokens'],
    [
      'a tier that is cheaper',
      { ...row, input_cost_per_token_above_272k_tokens: 1e-6 },
      'input_usd_per_mtok',
    ],
  ])('with %s is not guessed', (_, one, problem) => {
    const { models, isChanged } = proposal({ 'gpt-5.1': one });
    expect(isChanged).toBe(false);
    expect(models[0]?.problem).toContain(problem);
  });

  it('has a model under one of several names', () => {
    const azure = { 'azure/gpt-5.1': { ...row, litellm_provider: 'azure' } };
    expect(proposal(azure).models).toMatchObject([{ listed: 'azure/gpt-5.1' }]);
    const both = { ...azure, 'eu/gpt-5.1': { ...row, litellm_provider: 'eu' } };
    expect(proposal(both).models).toMatchObject([
      { problem: 'is listed by several providers: azure, eu' },
    ]);
    expect(proposal(both, { provider: 'eu' }).models).toMatchObject([{ listed: 'eu/gpt-5.1' }]);
    const names = new Map([['acme/gpt', 'eu/gpt-5.1']]);
    expect(proposal(both, { names }).models).toMatchObject([{ listed: 'eu/gpt-5.1' }]);
    expect(proposal({ other: row }).models).toMatchObject([
      { problem: 'is not in the list as acme/gpt or gpt-5.1' },
    ]);
  });
});

describe('a list of models.dev', () => {
  const modelOf = (cost: unknown) => ({
    openai: { id: 'openai', models: { 'gpt-5.1': { cost } } },
  });

  it('has dollars for a million tokens, and tiers by context', () => {
    const { format, price } = proposal(
      modelOf({
        input: 1.25,
        output: 10,
        cache_read: 0.125,
        tiers: [{ input: 2.5, output: 15, tier: { type: 'context', size: 200_000 } }],
      }),
    );
    expect(format).toBe('models.dev');
    expect(price).toMatchObject({
      classes: { cache_read_tokens: '125000' },
      tiers: [
        {
          aboveInputTokens: 200_000,
          prices: { input_tokens: '2500000', output_tokens: '15000000' },
        },
      ],
    });
  });

  it('has a derived tier above 200,000 tokens', () => {
    const { price } = proposal(
      modelOf({ input: 1.25, output: 10, context_over_200k: { input: 2.5, output: 15 } }),
    );
    expect(price?.tiers).toMatchObject([{ aboveInputTokens: 200_000 }]);
  });
});

describe('a list of OpenRouter', () => {
  const listOf = (pricing: unknown) => ({ data: [{ id: 'acme/gpt', pricing }] });

  it('has dollars for a token as text, and 0 for a class without a price of its own', () => {
    const { format, price, models } = proposal(
      listOf({
        prompt: '0.00000125',
        completion: '0.00001',
        internal_reasoning: '0',
        input_cache_read: '0.000000125',
        web_search: '0.01',
        request: '0.02',
        overrides: [{ min_prompt_tokens: 200_000, prompt: '0.0000025', completion: '0.000015' }],
      }),
    );
    expect(format).toBe('openrouter');
    expect(price).toMatchObject({
      inputMicroUsdPerMtok: '1250000',
      classes: { cache_read_tokens: '125000' },
      tiers: [{ aboveInputTokens: 200_000 }],
    });
    expect(price?.classes).not.toHaveProperty('reasoning_tokens');
    expect(price?.searchMicroUsdPerThousand).toBe('10000000');
    expect(models[0]?.notes).toEqual(['request has no field here: "0.02"']);
  });

  it('is not guessed where the price is variable', () => {
    const { models } = proposal(listOf({ prompt: '-1', completion: '-1' }));
    expect(models[0]?.problem).toBe('has a price that depends on the model behind it');
  });
});

describe('a proposal', () => {
  const list = {
    data: [{ id: 'acme/gpt', pricing: { prompt: '0.000002', completion: '0.00001' } }],
  };

  it('keeps the price of a class that the list does not state', () => {
    const old = '{ input_usd_per_mtok: 1, output_usd_per_mtok: 8, cache_read_usd_per_mtok: 0.1 }';
    const { price, models } = proposal(list, {}, catalogOf(old));
    expect(price?.classes).toEqual({ cache_read_tokens: '100000' });
    expect(models[0]?.notes).toEqual(['cache_read_usd_per_mtok is not in the list and stays']);
  });

  it('leaves a price alone that others use', () => {
    const shared = catalogOf(
      `&p ${OLD}`,
      '  - { id: acme/two, owned_by: acme, rigs: [up], context: 9, price: *p }\n',
    );
    const { models } = proposal(list, {}, shared);
    expect(models[0]?.problem).toContain('has a price with an anchor');
    const byAlias = { data: [{ ...list.data[0], id: 'acme/two' }] };
    const { source } = proposal(byAlias, {}, shared);
    expect(
      parseCatalog(source, FILE).models.map(({ price }) => price.inputMicroUsdPerMtok),
    ).toEqual(['1000000', '2000000']);
  });

  it.each([
    ['[]', 'is not a JSON object'],
    ['{', 'is not JSON'],
    ['{"a":{"b":1}}', 'is no price list of openrouter, models.dev, litellm'],
  ])('is not made from %s', (text, problem) => {
    expect(() => readPriceList(Buffer.from(text))).toThrow(problem);
  });
});
