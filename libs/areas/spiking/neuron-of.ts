import { type ModelCard } from './model-card.js';
import { reject } from './spiking.errors.js';
import { type NeuronModel } from './spiking.modes.js';

/**
 * The neuron of a run: the asked one, or the neuron of the training.
 * @throws DomainError `snn_neuron_unsupported`
 */
export const neuronOf = (
  { slug, neuronModels: [first, ...others] }: ModelCard,
  asked: NeuronModel | null,
): NeuronModel => {
  const supported: readonly (NeuronModel | undefined)[] = [first, ...others];
  if (asked === null) return first ?? reject('snn_neuron_unsupported', `${slug} has no neurons`);
  if (supported.includes(asked)) return asked;
  return reject(
    'snn_neuron_unsupported',
    `${slug} cannot run with ${asked}; it runs with ${supported.join(', ')}`,
  );
};
