import { defineArea } from '#platform/runtime/areas/area.js';
import { imageProduct } from './image.product.js';
import { imagesEngine } from './images.engine.js';
import { imagesErrors, imagesFailures } from './images.errors.js';
import { ImagesModule } from './images.module.js';
import { Painters } from './painters.js';
import { imagesSettings } from './images.settings.js';

/** Writes no events: the ledger's have its evidence, and `FileCreated` its files. */
export const imagesArea = defineArea({
  name: 'images',
  description: 'Pictures from texts and from pictures, compatible with the interface of OpenAI.',
  products: [imageProduct],
  engines: [imagesEngine],
  errors: imagesErrors,
  failures: imagesFailures,
  settings: [imagesSettings],
  modelSources: [Painters],
  module: ImagesModule,
});
