import { type ConsoleArea } from './page.js';

/** The areas with pages: the build fills the list from `apps/console/<area>/<area>.pages.ts`. */
export const declaredAreas: readonly ConsoleArea[] = [];
