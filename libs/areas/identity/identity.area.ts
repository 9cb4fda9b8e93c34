import { identityEvents } from '#events/identity/identity.events.js';
import { type Area } from '#platform/runtime/area.js';
import { apiKeys } from '#projections/identity/api-keys.projection.js';
import { usersByName } from '#projections/identity/users-by-name.projection.js';
import { users } from '#projections/identity/users.projection.js';
import { IdentityModule } from './identity.module.js';
import { identityErrors } from './identity.errors.js';

export const identityArea: Area = {
  name: 'identity',
  events: identityEvents,
  projections: [users, usersByName, apiKeys],
  sagas: [],
  sagaCommands: {},
  relays: [],
  refusals: identityErrors,
  module: IdentityModule,
};
