import { type Architecture } from '../model.js';
import { dvsConvnet } from './dvs-convnet.model.js';
import { hybridCnn } from './hybrid-cnn.model.js';
import { hybridGnn } from './hybrid-gnn.model.js';
import { hybridKan } from './hybrid-kan.model.js';
import { hybridSsm } from './hybrid-ssm.model.js';
import { hybridLsm } from './hybrid-lsm.model.js';
import { hybridRnn } from './hybrid-rnn.model.js';
import { hybridVit } from './hybrid-vit.model.js';
import { spikingResnet } from './spiking-resnet.model.js';

/** Every network that this engine can run; its weights decide whether it does. */
export const ARCHITECTURES: readonly Architecture[] = [
  spikingResnet,
  dvsConvnet,
  hybridCnn,
  hybridRnn,
  hybridVit,
  hybridGnn,
  hybridKan,
  hybridSsm,
  hybridLsm,
];
