import { type Architecture } from '../model.js';
import { dvsConvnet } from './dvs-convnet.model.js';
import { hybridCnn } from './hybrid-cnn.model.js';
import { hybridGnn } from './hybrid-gnn.model.js';
import { hybridKan } from './hybrid-kan.model.js';
import { hybridSsm } from './hybrid-ssm.model.js';
import { hybridLsm } from './hybrid-lsm.model.js';
import { hybridRl } from './hybrid-rl.model.js';
import { hybridRnn } from './hybrid-rnn.model.js';
import { hybridVit } from './hybrid-vit.model.js';
import { spikingResnet } from './spiking-resnet.model.js';
import { closedFormContinuous } from './closed-form-continuous.model.js';
import { continuousNeuralOde } from './continuous-neural-ode.model.js';
import { dynamicHypernetwork } from './dynamic-hypernetwork.model.js';
import { modernHopfield } from './modern-hopfield.model.js';
import { patternAnnSnn } from './pattern-ann-snn.model.js';
import { patternSnnAnn } from './pattern-snn-ann.model.js';
import { patternSpikingTransformer } from './pattern-spiking-transformer.model.js';
import { se3EquivariantGnn } from './se3-equivariant-gnn.model.js';
import { spatioTemporalGnn } from './spatio-temporal-gnn.model.js';
import { linearAttentionRwkv } from './linear-attention-rwkv.model.js';
import { neuroSymbolicLtn } from './neuro-symbolic-ltn.model.js';
import { physicsInformedPinn } from './physics-informed-pinn.model.js';
import { spikingDiffusion } from './spiking-diffusion.model.js';

/** Every network that this engine can run; its weights decide whether it does. */
export const ARCHITECTURES: readonly Architecture[] = [
  spikingResnet,
  dvsConvnet,
  hybridCnn,
  hybridRnn,
  hybridRl,
  hybridVit,
  hybridGnn,
  hybridKan,
  hybridSsm,
  hybridLsm,
  closedFormContinuous,
  continuousNeuralOde,
  dynamicHypernetwork,
  modernHopfield,
  patternAnnSnn,
  patternSnnAnn,
  patternSpikingTransformer,
  se3EquivariantGnn,
  spatioTemporalGnn,
  linearAttentionRwkv,
  neuroSymbolicLtn,
  physicsInformedPinn,
  spikingDiffusion,
];
