import { leaseEvents } from './lease.events.js';
import { logEvents } from './log.events.js';
import { masterKeyEvents } from './master-key.events.js';
import { ownModelEvents } from './own-model.events.js';

export const platformEvents = [
  ...leaseEvents,
  ...masterKeyEvents,
  ...logEvents,
  ...ownModelEvents,
] as const;
