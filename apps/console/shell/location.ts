import { computed, signal } from '@preact/signals';

const BASE = '/console';

const current = signal(new URL(window.location.href));
window.addEventListener('popstate', () => {
  current.value = new URL(window.location.href);
});

/** The path of the shown page below `/console`. */
export const path = computed(() => current.value.pathname.slice(BASE.length) || '/');

/** The query of the shown page, which has its filters, its place in a list and its `asOf`. */
export const query = computed<ReadonlyMap<string, string>>(
  () => new Map(current.value.searchParams),
);

/** A past state of the log, by number of events, day or instant. Undefined: the present. */
export const asOf = computed(() => query.value.get('asOf'));

const NEVER_KEPT = new Set(['after', 'page']);

/** The address of a page. The point in time of the shown page is kept. */
export const addressOf = (page: string, fields: Readonly<Record<string, string>> = {}): string => {
  const search = new URLSearchParams(fields);
  if (asOf.value !== undefined && !search.has('asOf')) search.set('asOf', asOf.value);
  const text = search.toString();
  return `${BASE}${page === '/' ? '' : page}${text === '' ? '' : `?${text}`}`;
};

/**
 * The shown page with other fields in its query. An empty field is left out. The place in a list
 * is kept only if it is given: it belongs to the list of the other fields.
 */
export const addressWith = (fields: Readonly<Record<string, string>>): string => {
  const url = new URL(current.value);
  for (const name of NEVER_KEPT) url.searchParams.delete(name);
  for (const [name, value] of Object.entries(fields)) {
    if (value === '') url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return url.pathname + url.search;
};

export const goTo = (address: string): void => {
  window.history.pushState(null, '', address);
  current.value = new URL(window.location.href);
  window.scrollTo(0, 0);
};

/** Follows links between pages without loading the document again. */
export const followLinks = (event: MouseEvent): void => {
  const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey);
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!isPlain || !link || link.origin !== window.location.origin) return;
  if (link.dataset['page'] === undefined) return;
  event.preventDefault();
  goTo(link.href);
};
