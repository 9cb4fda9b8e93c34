import { describe, expect, it } from '@jest/globals';
import { proposedPrices } from './proposal.js';

describe('the rows of a proposal', () => {
  it('are its prices, each with its model, and then the models that stay', () => {
    const field = 'input_usd_per_mtok';
    const changes = [
      { field, from: '1', to: '2' },
      { field: 'output_usd_per_mtok', from: null, to: '4' },
    ];
    const stays = { listed: null, changes: [], notes: [] };
    expect(
      proposedPrices({
        success: true,
        format: 'litellm',
        sha256: 'a1',
        catalog_sha256: 'b2',
        is_changed: true,
        models: [
          { model: 'acme/same', ...stays, problem: null },
          { model: 'acme/none', ...stays, problem: 'is not in the list' },
          { model: 'acme/one', listed: 'one', changes, notes: ['pictures'], problem: null },
        ],
      }),
    ).toEqual([
      { model: 'acme/one', price: field, from: '1', to: '2', note: 'as one; pictures' },
      { model: 'acme/one', price: 'output_usd_per_mtok', from: null, to: '4', note: '' },
      { model: 'acme/same', price: 'stays', from: null, to: null, note: 'has these prices' },
      { model: 'acme/none', price: 'stays', from: null, to: null, note: 'is not in the list' },
    ]);
  });
});
