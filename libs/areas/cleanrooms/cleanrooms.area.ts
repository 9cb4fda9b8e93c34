import { cleanroomEvents } from '#events/cleanrooms/cleanroom.events.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { deploySaga } from '#platform/runtime/sagas/saga-deployment.js';
import { cleanroomMembers } from '#projections/cleanrooms/cleanroom-members.projection.js';
import { cleanrooms } from '#projections/cleanrooms/cleanrooms.projection.js';
import { privacySpends } from '#projections/cleanrooms/privacy-spends.projection.js';
import { cleanroomQueryProduct } from './cleanroom-query.product.js';
import { cleanroomsErrors } from './cleanrooms.errors.js';
import { cleanroomsFailures } from './cleanrooms.failures.js';
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
import { ReleasePrivacyCommand, RetainAnswerCommand } from './end-reservation.handlers.js';
import { DestroyRowsCommand, RetainRowsCommand } from './keep-rows.handlers.js';
import { privacyReservationSaga } from './privacy-reservation.saga.js';
import { SYNTHESIS_MODE, SynthesisChatStrategy } from './synthesis-chat.strategy.js';

export const cleanroomsArea = defineArea({
  name: 'cleanrooms',
  description: 'Clean rooms: rows of several accounts, answered within a privacy budget.',
  module: CleanroomsModule,
  events: cleanroomEvents,
  projections: [cleanrooms, cleanroomMembers, privacySpends],
  sagas: [
    deploySaga(contributionRowsSaga, {
      RetainRows: ({ cleanroomId, contributionId }) =>
        new RetainRowsCommand(cleanroomId, contributionId),
      DestroyRows: ({ cleanroomId, contributionId, blob }) =>
        new DestroyRowsCommand(cleanroomId, contributionId, blob),
    }),
    deploySaga(privacyReservationSaga, {
      ReleasePrivacy: ({ cleanroomId, spendId }, context) =>
        new ReleasePrivacyCommand(cleanroomId, spendId, context),
      RetainAnswer: ({ cleanroomId, spendId }) => new RetainAnswerCommand(cleanroomId, spendId),
    }),
  ],
  products: [cleanroomQueryProduct, depositProduct, enclaveChatProduct, homomorphicProduct],
  chatStrategies: [
    { modes: [SYNTHESIS_MODE], strategy: SynthesisChatStrategy, readsCleanroom: true },
    { modes: [ENCLAVE_MODE], strategy: EnclaveChatStrategy, readsCleanroom: true },
    { modes: [HOMOMORPHIC_MODE], strategy: HomomorphicChatStrategy, readsCleanroom: true },
  ],
  settings: [enclaveSettings],
  errors: cleanroomsErrors,
  failures: cleanroomsFailures,
});
