import { identityEvents } from '#events/identity/identity.events.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { apiKeys } from '#projections/identity/api-keys.projection.js';
import { sessions } from '#projections/identity/sessions.projection.js';
import { users } from '#projections/identity/users.projection.js';
import { IdentityModule } from './identity.module.js';
import { identityErrors } from './identity.errors.js';
import { identityFailures } from './identity.failures.js';
import { identitySettings } from './identity.settings.js';
import { openidSettings } from './openid/openid.settings.js';

export const identityArea = defineArea({
  name: 'identity',
  description: 'Log-in, sessions, API keys and two-factor authentication.',
  events: identityEvents,
  projections: [apiKeys, sessions, users],
  errors: identityErrors,
  failures: identityFailures,
  settings: [identitySettings, openidSettings],
  module: IdentityModule,
});
