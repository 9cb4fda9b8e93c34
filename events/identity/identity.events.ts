import { apiKeyEvents } from './api-key.events.js';
import { challengeEvents } from './challenge.events.js';
import { groupRuleEvents } from './group-rule.events.js';
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
  ...groupRuleEvents,
] as const;
