import { type SpikingCounts } from '../spiking.protocol.js';
import { type LayerCounts } from './meter.js';

/** Raised whenever the same run would give other counts. */
export const METER_VERSION = 2;

const totalOf =
  (layers: readonly LayerCounts[]) =>
  (figure: Exclude<keyof LayerCounts, 'name'>): number =>
    layers.reduce((sum, layer) => sum + layer[figure], 0);

/** The figures of a run, summed over its layers. */
export const countsOf = (
  layers: readonly LayerCounts[],
  denseSparsityPct: number | null,
): SpikingCounts => {
  const total = totalOf(layers);
  const firingRate = total('spikes') / Math.max(1, total('neuronSteps'));
  return {
    neurons: total('neurons'),
    spikes: total('spikes'),
    synapticEvents: total('synapticEvents'),
    macs: total('macs'),
    acs: total('acs'),
    quiescentNeurons: total('quiescentNeurons'),
    firingRate,
    activationSparsityPct: 100 * (1 - firingRate),
    denseSparsityPct,
    layers: layers.map(({ name, macs, acs, synapticEvents, neurons, spikes, quiescentNeurons }) => {
      return { name, macs, acs, synapticEvents, neurons, spikes, quiescentNeurons };
    }),
    ann: { macs: total('annMacs'), acs: total('annAcs') },
  };
};
