/** The routing modes of spiking networks, of the direct route and of chats. */
export const SPIKING_MODES = [
  'snn_spiking',
  'hybrid_cnn',
  'hybrid_rnn',
  'hybrid_vit',
  'hybrid_lsm',
  'hybrid_rl',
  'hybrid_gnn',
  'hybrid_kan',
  'hybrid_ssm',
  'hybrid_diffusion',
  'hybrid_neural_ode',
  'hybrid_pinn',
  'hybrid_st_gnn',
  'hybrid_hopfield',
  'hybrid_hypernet',
  'hybrid_cfc',
  'hybrid_se3_equivariant',
  'hybrid_linear_rwkv',
  'hybrid_neuro_symbolic',
  'pattern_snn_ann',
  'pattern_ann_snn',
  'pattern_spiking_transformer',
] as const;
export type SpikingMode = (typeof SPIKING_MODES)[number];

export const isSpikingMode = (mode: string): mode is SpikingMode =>
  (SPIKING_MODES as readonly string[]).includes(mode);

export const NEURON_MODELS = ['LIFNode', 'PLIFNode', 'ContinuousLIFNode'] as const;
export type NeuronModel = (typeof NEURON_MODELS)[number];

export const TIMESTEPS_DEFAULT = 8;
export const TIMESTEPS_MAX = 64;
