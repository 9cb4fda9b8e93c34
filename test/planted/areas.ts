import { areas as shipped } from '#apps/composition/areas.js';
import { type Area } from '#platform/runtime/areas/area.js';
import { postcardsArea } from './postcards/postcards.area.js';

/** The areas that ship, and the planted one. */
export const areas: readonly Area[] = [...shipped, postcardsArea];
