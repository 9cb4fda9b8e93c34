import { stepContinuousLifLayer } from './continuous-lif.js';
import { stepLif, type NeuronSettings } from './neuron.js';

const stepLayer = (
  membrane: Float32Array,
  input: Float32Array,
  spikes: Float32Array,
  leak: number,
  settings: NeuronSettings,
): number =>
  settings.model === 'ContinuousLIFNode'
    ? stepContinuousLifLayer(membrane, input, spikes, { ...settings, tau: 1 / leak })
    : stepLif(membrane, input, spikes, leak, settings);

/**
 * Moves neurons by one step; each leak applies to an equal share of them.
 * @param leaks `1 / tau`
 * @returns the number of spikes
 */
export const stepGroups = (
  membrane: Float32Array,
  input: Float32Array,
  spikes: Float32Array,
  leaks: ArrayLike<number>,
  settings: NeuronSettings,
): number => {
  if (leaks.length === 1) return stepLayer(membrane, input, spikes, leaks[0] ?? 0, settings);
  const size = membrane.length / leaks.length;
  let fired = 0;
  for (let group = 0; group < leaks.length; group += 1) {
    const [from, to] = [group * size, (group + 1) * size];
    const own = membrane.subarray(from, to);
    const [current, out] = [input.subarray(from, to), spikes.subarray(from, to)];
    fired += stepLayer(own, current, out, leaks[group] ?? 0, settings);
  }
  return fired;
};
