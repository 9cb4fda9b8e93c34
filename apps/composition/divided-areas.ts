import { type Area } from '#platform/runtime/areas/area.js';

/** The areas for the process of a projector in a thread, which runs their sagas. */
export const withoutSagas = (areas: readonly Area[]): readonly Area[] =>
  areas.map((area) => ({ ...area, sagas: [] }));

/** The areas for a projector in a thread: what listens to the bus runs in its process. */
export const withoutListeners = (areas: readonly Area[]): readonly Area[] =>
  areas.map((area) => ({ ...area, relays: [], consumers: [], leaderServices: [] }));
