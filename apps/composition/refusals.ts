import { type Refusal } from '#platform/runtime/area.js';
import { leaseErrors } from '#platform/runtime/lease/lease.errors.js';
import { areas } from './areas.js';

/** The domain errors of the platform and of each area; each code occurs once. */
export const tables: readonly Readonly<Record<string, Refusal>>[] = [
  leaseErrors,
  ...areas.map((area) => area.refusals),
];

/** What each domain error is in HTTP, by its code. */
export const refusals: Readonly<Record<string, Refusal>> = Object.fromEntries(
  tables.flatMap((table) => Object.entries(table)),
);
