import { type Area } from '#platform/runtime/area.js';
import { InferenceModule } from './inference.module.js';
import { inferenceRefusals } from './inference.refusals.js';
import { textEngine } from './text/text.engine.js';

/** Writes no events of its own: what a request costs is the account's affair. */
export const inferenceArea: Area = {
  name: 'inference',
  events: [],
  projections: [],
  sagas: [],
  sagaCommands: {},
  relays: [],
  refusals: inferenceRefusals,
  engines: [textEngine],
  module: InferenceModule,
};
