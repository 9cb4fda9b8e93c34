import { defineArea } from '#platform/runtime/areas/area.js';
import { uploadedModelErrors } from './models.errors.js';
import { modelImportFailures } from './models.failures.js';
import { ModelsModule } from './models.module.js';

/** Writes no events: an uploaded model is one of the account's own. */
export const modelsArea = defineArea({
  name: 'models',
  description: 'Models that accounts upload, in GGUF or safetensors, with a card.',
  module: ModelsModule,
  errors: uploadedModelErrors,
  failures: modelImportFailures,
});
