import { describe, expect, it } from '@jest/globals';
import { routingModesOf } from '#areas/inference/routing-modes.js';
import { areas } from './areas.js';

/** The names of the promised interface. */
const PROMISED = [
  'auto',
  'vllm_speculative',
  'moa_consensus',
  'sharded_pipeline',
  'cleanroom_enclave_infer',
  'cleanroom_fhe_eval',
  'cleanroom_dp_synthesize',
  'pattern_snn_ann',
  'pattern_ann_snn',
  'pattern_spiking_transformer',
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
];

describe('the routing modes of the areas that ship', () => {
  it('are the 29 that were promised', () => {
    expect(routingModesOf({ list: areas }).toSorted()).toEqual(PROMISED.toSorted());
  });
});
