import { scriptedCatalog } from './quipu.harness.js';

export const SLUG = 'snnlib/hybrid-spiking-cnn';
export const INFER = '/api/v1/snn/infer';
export const BATCHES = '/api/v1/snn/batches';
export const PROMPT = 'Write a function that sorts a list of numbers.';

/** Prices in whole micro-dollars for each operation. An embedded rig has a worker. */
export const catalogOf = (baseUrl: string): string =>
  `${scriptedCatalog(baseUrl).replace('models:', '  - { name: built-in, kind: embedded }\nmodels:')}
meters:
  - { meter: synaptic_events, usd: 0.000002, per: 1 }
  - { meter: macs, usd: 0.000003, per: 1 }
`;

const PAIRS = [
  [1, 2],
  [3, 4],
];
/** A network reads at most three. */
export const FOUR_AXES = [
  [PAIRS, PAIRS],
  [PAIRS, PAIRS],
];

export interface Telemetry {
  readonly total_synaptic_spikes: number;
  readonly spikes_emitted: number;
  readonly macs: number;
}

/** Requests, each with its status, code and field, and a part of its message. */
export const REJECTIONS: readonly (readonly [
  name: string,
  body: object,
  status: number,
  code: string,
  param: string,
  named: string,
])[] = [
  [
    'an unknown slug',
    { model: 'snnlib/none', input_data: 'x' },
    404,
    'snn_model_unknown',
    'model',
    SLUG,
  ],
  [
    'an unknown mode',
    { routing_mode: 'hybrid', input_data: 'x' },
    400,
    'snn_mode_unknown',
    'routing_mode',
    'hybrid_cnn',
  ],
  [
    'another mode',
    { model: SLUG, routing_mode: 'hybrid_vit', input_data: 'x' },
    400,
    'snn_mode_mismatch',
    'routing_mode',
    'hybrid_cnn',
  ],
  [
    'too many timesteps',
    { model: SLUG, input_data: 'x', timesteps: 65 },
    400,
    'invalid_request',
    'timesteps',
    '64',
  ],
  [
    'an unknown neuron',
    { model: SLUG, input_data: 'x', node_type: 'GLIF' },
    400,
    'invalid_request',
    'node_type',
    'PLIFNode',
  ],
  [
    'two neurons',
    { model: SLUG, input_data: 'x', node_type: 'LIFNode', neuron_model: 'PLIFNode' },
    400,
    'invalid_request',
    'neuron_model',
    'differ',
  ],
  ['no input', { model: SLUG }, 400, 'invalid_request', 'input_data', 'input_data'],
  [
    'a ragged input',
    { model: SLUG, input_data: [[1, 2], [3]] },
    400,
    'snn_input_invalid',
    'input_data',
    '[1]',
  ],
  [
    'words among numbers',
    { model: SLUG, input_data: [1, 'x'] },
    400,
    'snn_input_invalid',
    'input_data',
    '[1]',
  ],
  [
    'more axes than the network reads',
    { model: SLUG, input_data: FOUR_AXES },
    400,
    'snn_input_invalid',
    'input_data',
    'axes',
  ],
  [
    'an unknown field',
    { model: SLUG, input_data: 'x', steps: 1 },
    400,
    'invalid_request',
    'steps',
    'steps',
  ],
];
