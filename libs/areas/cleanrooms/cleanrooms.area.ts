import { cleanroomEvents } from '#events/cleanrooms/cleanroom.events.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { deploySaga } from '#platform/runtime/sagas/saga-deployment.js';
import { cleanroomMembers } from '#projections/cleanrooms/cleanroom-members.projection.js';
import { cleanrooms } from '#projections/cleanrooms/cleanrooms.projection.js';
import { cleanroomsErrors } from './cleanrooms.errors.js';
import { CleanroomsModule } from './cleanrooms.module.js';
import { contributionRowsSaga } from './contribution-rows.saga.js';
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
  errors: cleanroomsErrors,
});
