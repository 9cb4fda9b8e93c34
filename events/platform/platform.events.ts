import { leaseEvents } from './lease.events.js';
import { logEvents } from './log.events.js';
import { masterKeyEvents } from './master-key.events.js';

export const platformEvents = [...leaseEvents, ...masterKeyEvents, ...logEvents] as const;
