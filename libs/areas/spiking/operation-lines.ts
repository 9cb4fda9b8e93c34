import { type PriceLine } from '#events/hold.vocabulary.js';
import { type MeterPriceList } from '#platform/ledger/meter-prices.port.js';
import { type UnitPrice } from '#platform/ledger/price.js';
import { type ModelCard } from './model-card.js';
import { reject } from './spiking.errors.js';

export const SYNAPTIC_EVENTS_METER = 'synaptic_events';
export const MACS_METER = 'macs';

/** The charged operations of a run; a bound when it is held. */
export interface ChargedOperations {
  readonly synapticEvents: number;
  readonly macs: number;
}

/** The most that runs of a network may count. */
export const worstCase = (
  { bounds }: Pick<ModelCard, 'bounds'>,
  timesteps: number,
  runs = 1,
): ChargedOperations => ({
  synapticEvents: runs * (bounds.synapticEvents + timesteps * bounds.synapticEventsPerTimestep),
  macs: runs * (bounds.macs + timesteps * bounds.macsPerTimestep),
});

/** The prices of both meters on one rate card. */
export interface OperationPrices {
  readonly rateCardVersion: number;
  linesOf(operations: ChargedOperations): PriceLine[];
}

/** @throws DomainError `snn_not_priced` where the rate card lacks a meter */
export const operationPrices = (list: MeterPriceList | undefined): OperationPrices => {
  const priceOf = (meter: string): UnitPrice => list?.prices.get(meter) ?? notPriced(meter);
  const [perEvent, perMac] = [priceOf(SYNAPTIC_EVENTS_METER), priceOf(MACS_METER)];
  return {
    rateCardVersion: list?.rateCardVersion ?? notPriced(MACS_METER),
    linesOf: ({ synapticEvents, macs }) => [
      { meter: SYNAPTIC_EVENTS_METER, quantity: synapticEvents, ...perEvent },
      { meter: MACS_METER, quantity: macs, ...perMac },
    ],
  };
};

/** The charged part of the counted operations: never above the bound. */
export const chargedOf = (
  counted: ChargedOperations,
  bound: ChargedOperations,
): ChargedOperations => ({
  synapticEvents: Math.min(counted.synapticEvents, bound.synapticEvents),
  macs: Math.min(counted.macs, bound.macs),
});

const notPriced = (meter: string): never =>
  reject('snn_not_priced', `the catalog of this installation has no price for the meter ${meter}`);
