import { type Provider } from '@nestjs/common';
import { Catalog } from '#areas/catalog/catalog.js';
import { ShardedModels } from '#areas/sharding/sharded-models.port.js';
import { ChatModels } from '../inference/chat-models.binding.js';

export const bindings: readonly Provider[] = [
  {
    provide: ShardedModels,
    inject: [Catalog],
    useFactory: (catalog: Catalog): ShardedModels => new ChatModels(catalog),
  },
];
