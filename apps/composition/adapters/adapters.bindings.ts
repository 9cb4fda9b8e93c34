import { type Provider } from '@nestjs/common';
import { AdapterChats } from '#areas/adapters/adapter-chats.port.js';
import { BaseModels } from '#areas/adapters/base-models.port.js';
import { Catalog } from '#areas/catalog/catalog.js';
import { CompleteChatHandler } from '#areas/inference/complete-chat.handler.js';
import { GatewayChats } from './adapter-chats.binding.js';
import { EmbeddedBaseModels } from './base-models.binding.js';

export const bindings: readonly Provider[] = [
  {
    provide: BaseModels,
    inject: [{ token: Catalog, optional: true }],
    useFactory: (catalog?: Catalog) => new EmbeddedBaseModels(catalog),
  },
  {
    provide: AdapterChats,
    inject: [{ token: CompleteChatHandler, optional: true }],
    useFactory: (chats?: CompleteChatHandler) => new GatewayChats(chats),
  },
];
