import { LRUCache } from 'lru-cache';

/**
 * A cache of the entries used last. It takes memory as it fills: with the option `max` the package
 * allocates for all entries at once: 28 bytes each, and 1 to 2 ms for each of a hundred caches at
 * start-up.
 */
export const growingCache = <Value extends object | number | true>(
  entriesMax: number,
): LRUCache<string, Value> => new LRUCache({ maxSize: entriesMax, sizeCalculation: () => 1 });
