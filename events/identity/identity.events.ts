import { apiKeyEvents } from './api-key.events.js';
import { challengeEvents } from './challenge.events.js';
import { nameEvents } from './name.events.js';
import { sessionEvents } from './session.events.js';
import { tenantEvents } from './tenant.events.js';
import { userEvents } from './user.events.js';

/** Every event of the area. */
export const identityEvents = [
  ...userEvents,
  ...nameEvents,
  ...apiKeyEvents,
  ...sessionEvents,
  ...challengeEvents,
  ...tenantEvents,
] as const;
