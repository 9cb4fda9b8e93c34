import { describe, expect, it } from '@jest/globals';
import { parseCatalog } from './catalog.parser.js';
import { mediaRulesOf } from './media-rules-of.js';

const rulesOf = (rigs: string, names: string) => {
  const price = 'price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 }';
  const model = `{ id: m, upstream_id: up, owned_by: a, rigs: [${names}], context: 512, ${price} }`;
  const file = parseCatalog(`{ rigs: [${rigs}], models: [${model}] }`, '/etc/quipu/catalog.yaml');
  const [entry] = file.models;
  return entry && mediaRulesOf(entry, file.rigs);
};

const OPENAI = "{ name: o, kind: openai, server: openai, base_url: 'https://h/v1' }";
const VLLM = "{ name: v, kind: openai, server: vllm, base_url: 'http://h/v1' }";
const TERMS = 'models: [{ id: m, upstream_id: claude }]';
const ANTHROPIC = `{ name: a, kind: anthropic, base_url: 'https://h/v1', ${TERMS} }`;

describe('the rules for images of a model', () => {
  it('cover each of its servers, with the names that they have for it', () => {
    expect(rulesOf(`${OPENAI}, ${ANTHROPIC}`, 'o, a')).toEqual([
      { provider: 'openai', upstreamId: 'up' },
      { provider: 'anthropic', upstreamId: 'claude' },
    ]);
  });

  it('are none where one of its servers has no published rule', () => {
    expect(rulesOf(`${OPENAI}, ${VLLM}`, 'o, v')).toBeUndefined();
    expect(rulesOf(`${OPENAI}, ${VLLM}`, 'o')).toHaveLength(1);
  });
});
