/** A page of a list in OpenAI's manner, by the id of the item before or after it. */
export interface ItemPage {
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
  readonly order: 'asc' | 'desc';
}

export interface PageOfItems<Item> {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
}

/**
 * @param items the oldest first
 * @returns the name of the field whose id no item has, where there is one
 */
export const pageOfItems = <Item>(
  items: readonly Item[],
  idOf: (item: Item) => string | null,
  { after, before, limit, order }: ItemPage,
): PageOfItems<Item> | 'after' | 'before' => {
  const ordered = order === 'asc' ? items : items.toReversed();
  const start = after === undefined ? 0 : ordered.findIndex((item) => idOf(item) === after) + 1;
  if (after !== undefined && start === 0) return 'after';
  if (before === undefined) {
    const end = start + limit;
    return { items: ordered.slice(start, end), hasMore: end < ordered.length };
  }
  const end = ordered.findIndex((item) => idOf(item) === before);
  if (end === -1) return 'before';
  const from = Math.max(start, end - limit);
  return { items: ordered.slice(from, end), hasMore: from > start };
};
