import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { defineProduct, ProductMismatchError, Products } from './product.js';

const loaf = defineProduct({
  purpose: 'loaf',
  group: 'compute',
  title: 'Loaves of bread',
  meters: { slices: 'slices of one loaf' },
  captureEvidence: z.strictObject({ oven: z.string() }),
});
const products = new Products([loaf]);

const slices = { meter: 'slices', quantity: 1, unitPriceMicroUsd: '5', perUnits: 1 };
const hold = { purpose: 'loaf', lines: [slices], evidence: {} };
const charge = { ...hold, excess: [], evidence: { oven: 'left' } };

describe('a product', () => {
  it('has names that fit into an event', () => {
    expect(() => defineProduct({ ...loaf, purpose: 'A loaf' })).toThrow();
    expect(() => defineProduct({ ...loaf, meters: { 'half slices': '' } })).toThrow();
  });
});

describe('the products of all areas', () => {
  it('are found by the purpose and the lines of a hold or a charge', () => {
    expect(products.ofHold(hold)).toBe(loaf);
    expect(products.ofLines({ purpose: 'loaf', lines: [] })).toBe(loaf);
    expect(products.ofCapture(charge)).toBe(loaf);
  });

  it('have one purpose each', () => {
    expect(() => new Products([loaf, { ...loaf }])).toThrow('two products have the purpose loaf');
  });

  it('counts the meters of tools for a product that calls tools, and for no other', () => {
    const feast = { ...loaf, purpose: 'feast', callsTools: true };
    const withTools = new Products([loaf, feast], { crumbs: 'crumbs' });
    const lines = [{ ...slices, meter: 'crumbs' }];
    expect(withTools.ofHold({ ...hold, purpose: 'feast', lines })).toBe(feast);
    const crumbs = 'the product loaf has no meter crumbs';
    expect(() => withTools.ofHold({ ...hold, lines })).toThrow(crumbs);
  });

  it('name the model of tokens that are charged, on the line or for all lines', () => {
    const talk = { ...loaf, purpose: 'talk', meters: { input_tokens: 'tokens' } };
    const own = new Products([talk]);
    const lines = [{ ...slices, meter: 'input_tokens' }];
    const said = { ...charge, purpose: 'talk', lines };
    expect(own.ofCapture({ ...said, model: 'acme/m' })).toBe(talk);
    const named = lines.map((line) => ({ ...line, model: 'acme/m' }));
    expect(own.ofCapture({ ...said, lines: named })).toBe(talk);
    const missing = 'a charge for talk has input_tokens without a model';
    expect(() => own.ofCapture(said)).toThrow(missing);
  });

  it.each<[string, () => unknown, string]>([
    ['an unknown purpose', () => products.of('cake'), 'no area declares the product cake'],
    [
      'a line of another meter',
      () => products.ofHold({ ...hold, lines: [{ ...slices, meter: 'crumbs' }] }),
      'the product loaf has no meter crumbs',
    ],
    [
      'a meter that every object has',
      () => products.ofHold({ ...hold, lines: [{ ...slices, meter: 'constructor' }] }),
      'the product loaf has no meter constructor',
    ],
    [
      'an excess of another meter',
      () => products.ofCapture({ ...charge, excess: [{ meter: 'crumbs', quantity: 1 }] }),
      'the product loaf has no meter crumbs',
    ],
    [
      'evidence of a hold that has none',
      () => products.ofHold({ ...hold, evidence: { a: 1 } }),
      'a: this field is not supported',
    ],
    ['missing evidence', () => products.ofCapture({ ...charge, evidence: {} }), 'oven'],
  ])('reject %s as a defect', (_, ask, message) => {
    expect(ask).toThrow(ProductMismatchError);
    expect(ask).toThrow(message);
  });
});
