import { defineArea } from '#platform/runtime/areas/area.js';
import { quantizationEngine } from './quantization.engine.js';
import { quantizationErrors } from './quantization.errors.js';
import { quantizationJob } from './quantization.job.js';
import { QuantizationModule } from './quantization.module.js';
import { quantizationProduct } from './quantization.product.js';
import { quantizationSettings } from './quantization.settings.js';

/** Writes no events: its work is jobs, and the models that it makes are the account's own. */
export const quantizationArea = defineArea({
  name: 'quantization',
  description: 'Models in fewer bits, measured on the tensors and on a held-out text.',
  products: [quantizationProduct],
  engines: [quantizationEngine],
  jobs: [quantizationJob],
  errors: quantizationErrors,
  settings: [quantizationSettings],
  module: QuantizationModule,
});
