import { computed } from '@preact/signals';
import { declaredAreas } from './declared-areas.js';
import { path } from './location.js';
import { pageAt } from './page.js';

const pages = declaredAreas.flatMap((area) => area.pages);

/** The page of the address. Null: there is none. */
export const shownPage = computed(() => pageAt(pages, path.value));
