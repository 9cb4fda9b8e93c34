import { type Provider } from '@nestjs/common';
import { Catalog } from '#areas/catalog/catalog.js';
import { QuantizableModels } from '#areas/quantization/quantizable-models.port.js';
import { OwnModelFiles } from '#platform/own-models/own-model-files.js';
import { OwnModels } from '#platform/own-models/own-models.js';
import { FiledModels } from './quantizable-models.binding.js';

export const bindings: readonly Provider[] = [
  {
    provide: QuantizableModels,
    inject: [{ token: Catalog, optional: true }, OwnModels, OwnModelFiles],
    useFactory: (catalog: Catalog | undefined, own: OwnModels, files: OwnModelFiles) =>
      new FiledModels(catalog, own, files),
  },
];
