import { leaseEvents } from './lease.events.js';
import { masterKeyEvents } from './master-key.events.js';

export const platformEvents = [...leaseEvents, ...masterKeyEvents] as const;
