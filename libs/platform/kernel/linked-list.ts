/** An entry of one list at most. Its neighbours are fields of its own. */
export abstract class Linked {
  isLinked = false;
  newer: this | undefined = undefined;
  older: this | undefined = undefined;
}

/**
 * Objects that come and go with each request, the newest first. A `Set` hashes each of them, and
 * grows and shrinks with them.
 */
export class LinkedList<Entry extends Linked> {
  #newest: Entry | undefined;

  get newest(): Entry | undefined {
    return this.#newest;
  }

  /** The entries as they are now. */
  toArray(): Entry[] {
    const entries: Entry[] = [];
    for (let entry = this.#newest; entry; entry = entry.older) entries.push(entry);
    return entries;
  }

  /** @param entry in no list */
  add(entry: Entry): void {
    const older = this.#newest;
    entry.isLinked = true;
    entry.older = older;
    if (older) older.newer = entry;
    this.#newest = entry;
  }

  /** @param entry of this list, or of none: then nothing happens */
  delete(entry: Entry): void {
    if (!entry.isLinked) return;
    const { newer, older } = entry;
    if (newer) newer.older = older;
    else this.#newest = older;
    if (older) older.newer = newer;
    // A removed entry that lives on must not keep the others.
    entry.isLinked = false;
    entry.newer = undefined;
    entry.older = undefined;
  }
}
