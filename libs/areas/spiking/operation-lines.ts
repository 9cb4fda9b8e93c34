import { type PriceLine } from '#events/hold.vocabulary.js';
import { meterPrice, type MeterPriceList } from '#platform/ledger/meter-prices.port.js';
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
  const priceOf = (meter: string) =>
    meterPrice(list, meter, (detail) => reject('snn_not_priced', detail));
  const [perEvent, perMac] = [priceOf(SYNAPTIC_EVENTS_METER), priceOf(MACS_METER)];
  return {
    rateCardVersion: perEvent.rateCardVersion,
    linesOf: ({ synapticEvents, macs }) => [perEvent.lineOf(synapticEvents), perMac.lineOf(macs)],
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
