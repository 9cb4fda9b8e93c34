import { DomainError } from '#platform/kernel/domain-error.js';
import { type InferenceErrorCode } from './inference.errors.js';

/** The execution strategies a request may name, beside `rig_{id}`. */
export const ROUTING_MODES = [
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
] as const;

const RIG_PREFIX = 'rig_';

/** A pinned rig's name is at most this long. */
export const RIG_NAME_LENGTH_MAX = 64;

export const isRoutingMode = (mode: string): boolean =>
  (ROUTING_MODES as readonly string[]).includes(mode) ||
  (mode.startsWith(RIG_PREFIX) &&
    mode.length > RIG_PREFIX.length &&
    mode.length <= RIG_PREFIX.length + RIG_NAME_LENGTH_MAX);

/**
 * The one rig that may answer, or undefined for any.
 * @throws DomainError `routing_mode_unavailable` for a mode that no rig has
 */
export const pinnedRig = (mode: string): string | undefined => {
  if (mode === 'auto') return undefined;
  if (mode.startsWith(RIG_PREFIX)) return mode.slice(RIG_PREFIX.length);
  throw new DomainError<InferenceErrorCode>(
    'routing_mode_unavailable',
    `routing_mode ${mode} is not available here; use auto or rig_{id}`,
  );
};
