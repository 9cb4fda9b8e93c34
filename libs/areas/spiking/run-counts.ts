import { type SpikingCounts } from '#events/spiking/spiking.evidence.js';
import { type SpikingEnd } from './spiking.engine.js';

export const NO_COUNTS: SpikingCounts = {
  neurons: 0,
  spikes: 0,
  quiescentNeurons: 0,
  synapticEvents: 0,
  macs: 0,
  acs: 0,
  annMacs: 0,
  annAcs: 0,
};

/** The counts of a run that its evidence has. */
export const countsOf = ({ counts }: Pick<SpikingEnd, 'counts'>): SpikingCounts => {
  const { neurons, spikes, quiescentNeurons, synapticEvents, macs, acs, ann } = counts;
  const own = { neurons, spikes, quiescentNeurons, synapticEvents, macs, acs };
  return { ...own, annMacs: ann.macs, annAcs: ann.acs };
};

const NAMES = Object.keys(NO_COUNTS) as readonly (keyof SpikingCounts)[];

export const addCounts = (one: SpikingCounts, other: SpikingCounts): SpikingCounts =>
  Object.fromEntries(NAMES.map((name) => [name, one[name] + other[name]])) as SpikingCounts;
