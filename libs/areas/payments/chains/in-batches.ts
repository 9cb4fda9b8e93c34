const AT_ONCE = 4;

/** Maps each item, a few at once: public servers limit the rate of requests. */
export const inBatches = async <Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> => {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(from, from + AT_ONCE).map(map))));
  }
  return results;
};
