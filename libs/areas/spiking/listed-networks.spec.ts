import { describe, expect, it } from '@jest/globals';
import { type MeterPriceList } from '#platform/ledger/meter-prices.port.js';
import { ListedNetworks } from './listed-networks.js';
import { type SpikingModels } from './spiking-models.js';

const price = { unitPriceMicroUsd: '1', perUnits: 1 };
const pricesOf = (...meters: readonly string[]): MeterPriceList => ({
  rateCardVersion: 1,
  prices: new Map(meters.map((meter) => [meter, price])),
});

describe('the networks that chats list', () => {
  it.each([
    [pricesOf('synaptic_events', 'macs'), ['snnlib/knots']],
    [pricesOf('macs'), []],
    [undefined, []],
  ])('are the networks that have a price', (list, slugs) => {
    const models = { list: [{ slug: 'snnlib/knots' }] } as unknown as SpikingModels;
    const prices = { inForce: () => list };
    const networks = new ListedNetworks(models, prices, { now: () => 0 });
    expect(networks.list.map(({ slug }) => slug)).toEqual(slugs);
  });
});
