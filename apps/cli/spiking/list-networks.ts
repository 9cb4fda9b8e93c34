import { isActing } from '#areas/spiking/model-card.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { inColumns } from '../table.js';
import { networksOf } from './networks.js';

export const listNetworks = async (
  _options: CommonOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const { models } = networksOf(invocation);
  const networks = models.list.map((card) => ({
    slug: card.slug,
    routing_mode: card.routingMode,
    architecture: card.architecture,
    neuron_models: card.neuronModels,
    parameters: card.parameters,
    task: card.native.task,
    accuracy: isActing(card.native) ? null : card.native.accuracy,
    mean_return: isActing(card.native) ? card.native.meanReturn : null,
    text_accuracy: card.text.accuracy,
    weights_sha256: card.weightsSha256,
  }));
  const rows = networks.map((one) => [
    one.slug,
    one.routing_mode,
    `${one.parameters}`,
    one.task,
    one.accuracy?.toFixed(3) ?? `return ${one.mean_return?.toFixed(1)}`,
    one.text_accuracy.toFixed(3),
  ]);
  return Promise.resolve({
    json: { models: networks },
    text: inColumns([['slug', 'mode', 'parameters', 'task', 'accuracy', 'text'], ...rows]),
  });
};
