/**
 * Waiting items of several accounts. Accounts take turns: the account that was served goes to the
 * end of the round, so that the served counts of accounts that always wait differ by one at most.
 * The items of one account keep their order. An account that comes, or returns, joins at the end.
 */
export class FairQueue<Item> {
  /** In the order of the round; no account is in it without an item. */
  readonly #byAccount = new Map<string, Set<Item>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  sizeOf(account: string): number {
    return this.#byAccount.get(account)?.size ?? 0;
  }

  add(account: string, item: Item): void {
    const items = this.#byAccount.get(account) ?? new Set<Item>();
    items.add(item);
    this.#byAccount.set(account, items);
    this.#size += 1;
  }

  has(account: string, item: Item): boolean {
    return this.#byAccount.get(account)?.has(item) ?? false;
  }

  delete(account: string, item: Item): void {
    const items = this.#byAccount.get(account);
    if (!items?.delete(item)) return;
    this.#size -= 1;
    if (items.size === 0) this.#byAccount.delete(account);
  }

  *[Symbol.iterator](): Generator<Item, void> {
    for (const items of this.#byAccount.values()) yield* items;
  }

  /**
   * Offers items in rounds, one of each account, until a round takes none.
   * @param take whether the item was taken; it may delete the item, and any other
   */
  serve(take: (item: Item) => boolean): void {
    let hasTaken = this.#size > 0;
    while (hasTaken) {
      hasTaken = false;
      for (const [account, items] of [...this.#byAccount]) {
        for (const item of items) {
          if (!take(item)) continue;
          this.delete(account, item);
          this.#endTurn(account, items);
          hasTaken = true;
          break;
        }
      }
    }
  }

  #endTurn(account: string, items: Set<Item>): void {
    if (items.size === 0) return;
    this.#byAccount.delete(account);
    this.#byAccount.set(account, items);
  }
}
