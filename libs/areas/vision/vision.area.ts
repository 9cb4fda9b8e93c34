import { defineArea } from '#platform/runtime/areas/area.js';
import { Looker } from './looker.js';
import { visionEngine } from './vision.engine.js';
import { visionErrors, visionFailures } from './vision.errors.js';
import { VisionModule } from './vision.module.js';
import { visionProduct } from './vision.product.js';
import { visionSettings } from './vision.settings.js';

/** Writes no events: the ledger's have its evidence. */
export const visionArea = defineArea({
  name: 'vision',
  description: 'Objects, motion and anomalies in frames.',
  products: [visionProduct],
  engines: [visionEngine],
  errors: visionErrors,
  failures: visionFailures,
  settings: [visionSettings],
  modelSources: [Looker],
  module: VisionModule,
});
