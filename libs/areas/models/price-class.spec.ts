import { describe, expect, it } from '@jest/globals';
import { priceClassOf } from './price-class.js';
import { type PricedModel } from './priced-models.port.js';

const modelOf = (name: string, parameters: number, input: number, output: number): PricedModel => ({
  name,
  parameters,
  maxOutputTokens: 256,
  vocabulary: name,
  price: { inputMicroUsdPerMtok: `${input}`, outputMicroUsdPerMtok: `${output}` },
  rateCardVersion: 3,
  batchDiscountPercent: 50,
});

const MODELS = [
  modelOf('large', 4_000, 100_000, 300_000),
  modelOf('small', 1_000, 50_000, 100_000),
  modelOf('small-dear', 1_000, 60_000, 100_000),
];

describe('the price of an uploaded model', () => {
  it.each([
    [1, 'small-dear'],
    [1_000, 'small-dear'],
    [1_001, 'large'],
    [4_000, 'large'],
  ])('with %i parameters is the price of the smallest with as many: %s', (parameters, name) => {
    const found = priceClassOf(parameters, MODELS);
    expect(found.pricedAs).toBe(name);
    expect(found.price).toEqual(MODELS.find((model) => model.name === name)?.price);
    expect(found).toMatchObject({ rateCardVersion: 3, batchDiscountPercent: 50 });
  });

  it('above the largest model grows with the parameters, rounded up', () => {
    expect(priceClassOf(4_001, MODELS)).toMatchObject({
      pricedAs: 'large',
      price: { inputMicroUsdPerMtok: '100025', outputMicroUsdPerMtok: '300075' },
    });
    const [input] = [priceClassOf(12_001, [modelOf('one', 3, 1, 0)]).price];
    expect(input).toEqual({ inputMicroUsdPerMtok: '4001', outputMicroUsdPerMtok: '0' });
  });

  it('needs a model of the catalog', () => {
    expect(() => priceClassOf(1, [])).toThrow('the catalog has no chat model with weights here');
  });
});
