import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Linked, LinkedList } from './linked-list.js';

class Entry extends Linked {}

describe('a linked list', () => {
  it('has the entries that were added and not deleted, the newest first', () => {
    const step = fc.record({ adds: fc.boolean(), at: fc.nat(9) });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const list = new LinkedList<Entry>();
        const entries = Array.from({ length: 10 }, () => new Entry());
        const expected = new Set<Entry>();
        for (const { adds, at } of steps) {
          const entry = entries[at] ?? new Entry();
          if (!adds) {
            list.delete(entry);
            expected.delete(entry);
          } else if (!entry.isLinked) {
            list.add(entry);
            expected.add(entry);
          }
        }
        const placesOf = (some: readonly Entry[]) => some.map((entry) => entries.indexOf(entry));
        const newestFirst = [...expected].reverse();
        expect(placesOf(list.toArray())).toEqual(placesOf(newestFirst));
        expect(list.newest).toBe(newestFirst[0]);
      }),
    );
  });

  it('is not kept by an entry that was deleted', () => {
    const list = new LinkedList<Entry>();
    const entries = [new Entry(), new Entry(), new Entry()];
    for (const entry of entries) list.add(entry);
    const [, deleted] = entries;
    if (deleted) list.delete(deleted);
    expect(deleted).toStrictEqual(new Entry());
  });
});
