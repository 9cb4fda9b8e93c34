import { type Refusal } from '#platform/runtime/area.js';
import { areas } from './areas.js';

/** What each refusal of each area is in HTTP. Areas choose their codes apart; none is said twice. */
export const refusals: Readonly<Record<string, Refusal>> = Object.fromEntries(
  areas.flatMap((area) => Object.entries(area.refusals)),
);
