import { type Area } from '#platform/runtime/area.js';
import { chatProduct } from './chat.product.js';
import { InferenceModule } from './inference.module.js';
import { inferenceRefusals } from './inference.refusals.js';

/** Writes no events of its own: its product's evidence travels in those of the ledger. */
export const inferenceArea: Area = {
  name: 'inference',
  events: [],
  projections: [],
  sagas: [],
  sagaCommands: {},
  relays: [],
  products: [chatProduct],
  refusals: inferenceRefusals,
  module: InferenceModule,
};
