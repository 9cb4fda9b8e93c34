import { describe, expect, it } from '@jest/globals';
import { type CommandBus } from '@nestjs/cqrs';
import { type MeterPriceList } from '#platform/ledger/meter-prices.port.js';
import { SpikingChats } from './spiking-chats.js';
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
  ])('are those that have a price', (list, slugs) => {
    const models = { list: [{ slug: 'snnlib/knots' }] } as unknown as SpikingModels;
    const prices = { inForce: () => list };
    const chats = new SpikingChats(models, {} as CommandBus, prices, { now: () => 0 });
    expect(chats.listed.map(({ slug }) => slug)).toEqual(slugs);
  });
});
