import { type Provider } from '@nestjs/common';
import { LocalModelKinds } from '#areas/catalog/local-model-kinds.port.js';
import { GgufModelKinds } from './local-model-kinds.binding.js';

export const bindings: readonly Provider[] = [
  { provide: LocalModelKinds, useClass: GgufModelKinds },
];
