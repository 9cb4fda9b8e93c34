import { type NetworkChoice } from '#areas/spiking/spiking-models.js';
import {
  NEURON_MODELS,
  type NeuronModel,
  TIMESTEPS_DEFAULT,
  TIMESTEPS_MAX,
} from '#areas/spiking/spiking.modes.js';
import { usage } from '../command-failure.js';
import { type CommonOptions } from '../invocation.js';

export interface NetworkOptions extends CommonOptions {
  readonly model?: string;
  readonly mode?: string;
  readonly timesteps?: number;
  readonly neuron?: string;
}

/** The network that the options name. */
export interface NetworkAsked extends NetworkChoice {
  readonly timesteps: number;
  /** Null for the neuron that the network was trained with. */
  readonly neuron: NeuronModel | null;
}

/** @throws CommandFailure `usage` */
export const networkAsked = ({
  model,
  mode,
  timesteps = TIMESTEPS_DEFAULT,
  neuron,
}: NetworkOptions): NetworkAsked => {
  if (timesteps > TIMESTEPS_MAX) throw usage(`--timesteps: at most ${TIMESTEPS_MAX}`);
  return {
    model: model ?? null,
    routingMode: mode ?? null,
    timesteps,
    neuron: neuron === undefined ? null : neuronOf(neuron),
  };
};

const neuronOf = (written: string): NeuronModel => {
  const neuron = NEURON_MODELS.find((one) => one === written);
  if (neuron) return neuron;
  throw usage(`--neuron: expected one of ${NEURON_MODELS.join(', ')}, received ${written}`);
};
