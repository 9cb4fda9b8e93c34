import { cleanroomEvents } from '#events/cleanrooms/cleanroom.events.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { deploySaga } from '#platform/runtime/sagas/saga-deployment.js';
import { cleanroomMembers } from '#projections/cleanrooms/cleanroom-members.projection.js';
import { cleanrooms } from '#projections/cleanrooms/cleanrooms.projection.js';
import { cleanroomsErrors } from './cleanrooms.errors.js';
import { CleanroomsModule } from './cleanrooms.module.js';
import { contributionRowsSaga } from './contribution-rows.saga.js';
import { depositProduct } from './deposits/deposit.product.js';
import { enclaveChatProduct } from './enclave/enclave-chat.product.js';
import { ENCLAVE_MODE, EnclaveChatStrategy } from './enclave/enclave-chat.strategy.js';
import { enclaveSettings } from './enclave/enclave.settings.js';
import {
  HOMOMORPHIC_MODE,
  HomomorphicChatStrategy,
} from './homomorphic/homomorphic-chat.strategy.js';
import { homomorphicProduct } from './homomorphic/homomorphic.product.js';
import { DestroyRowsCommand, RetainRowsCommand } from './keep-rows.handlers.js';

export const cleanroomsArea = defineArea({
  name: 'cleanrooms',
  description: 'Clean rooms: rows of several accounts, answered within a privacy budget.',
  module: CleanroomsModule,
  events: cleanroomEvents,
  projections: [cleanrooms, cleanroomMembers],
  sagas: [
    deploySaga(contributionRowsSaga, {
      RetainRows: ({ cleanroomId, contributionId }) =>
        new RetainRowsCommand(cleanroomId, contributionId),
      DestroyRows: ({ cleanroomId, contributionId, blob }) =>
        new DestroyRowsCommand(cleanroomId, contributionId, blob),
    }),
  ],
  products: [depositProduct, enclaveChatProduct, homomorphicProduct],
  chatStrategies: [
    { modes: [ENCLAVE_MODE], strategy: EnclaveChatStrategy, readsCleanroom: true },
    { modes: [HOMOMORPHIC_MODE], strategy: HomomorphicChatStrategy, readsCleanroom: true },
  ],
  settings: [enclaveSettings],
  errors: cleanroomsErrors,
});
