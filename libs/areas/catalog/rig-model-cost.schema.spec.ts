import { describe, expect, it } from '@jest/globals';
import { parseCatalog } from './catalog.parser.js';

const FILE = '/etc/quipu/catalog.yaml';

describe('the models of a rig', () => {
  it('have what they cost there', () => {
    const parse = (models: string) => {
      const [rig] = parseCatalog(
        `rigs: [{ name: up, kind: openai, base_url: 'http://up/v1', models: [${models}] }]
models:
  - { id: a/m, owned_by: a, rigs: [up], context: 9,
      price: { input_usd_per_mtok: 1, output_usd_per_mtok: 1 } }`,
        FILE,
      ).rigs;
      return rig?.kind === 'openai' ? rig.models : undefined;
    };
    expect(
      parse(`{ id: a/m, cost: { input_usd_per_mtok: 0.1, output_usd_per_mtok: 0.2,
        cache_read_usd_per_mtok: 0.01 }, cost_field: { path: usage.cost } }`),
    ).toMatchObject([
      {
        id: 'a/m',
        cost: {
          inputMicroUsdPerMtok: '100000',
          outputMicroUsdPerMtok: '200000',
          classes: { cache_read_tokens: '10000' },
        },
        costField: { path: ['usage', 'cost'], unit: 'usd' },
      },
    ]);
    for (const [written, problem] of [
      ['{ id: a/m, cost: { input_usd_per_mtok: -1 } }', 'rigs[0].models[0].cost'],
      ['{ id: a/m, cost_field: { path: a..b } }', 'rigs[0].models[0].cost_field.path'],
      ['{ id: a/m, cost_field: { path: a, unit: eur } }', 'rigs[0].models[0].cost_field.unit'],
    ] as const) {
      expect(() => parse(written)).toThrow(problem);
    }
  });
});
