import { type RecordedEvent } from '../event-store.port.js';
import { type CommittedGroup } from './group-commit.js';

/**
 * Groups are kept until they have this many positions or UTF-16 units together: under load, a tenth
 * of a second. Events that live longer would burden the collector.
 */
const POSITIONS_MAX = 256;
const UNITS_MAX = 4 * 1_048_576;

/** Events of the log without a gap. */
export interface RecentEvents {
  readonly events: readonly RecordedEvent[];
  /** Of the last one. */
  readonly upTo: number;
}

/**
 * The last groups that this process has committed, without a gap, for readers that poll every few
 * milliseconds: they need no row of the file.
 */
export class RecentGroups {
  #groups: CommittedGroup[] = [];
  #units = 0;

  add(group: CommittedGroup): void {
    const last = this.#groups.at(-1)?.last;
    if (last !== undefined && last !== group.after) this.#forgetAll();
    this.#groups.push(group);
    this.#units += group.units;
    while (this.#isTooMuch()) this.#units -= this.#groups.shift()?.units ?? 0;
  }

  /** The events after a position that are here; null where the first of them is not. */
  since(after: number): RecentEvents | null {
    const [first] = this.#groups;
    const upTo = this.#groups.at(-1)?.last;
    if (first === undefined || upTo === undefined || after < first.after || after >= upTo) {
      return null;
    }
    const events: RecordedEvent[] = [];
    for (const group of this.#groups) {
      if (group.last <= after) continue;
      for (const event of group.events.slice(Math.max(after - group.after, 0))) events.push(event);
    }
    return { events, upTo };
  }

  #isTooMuch(): boolean {
    const [first] = this.#groups;
    const last = this.#groups.at(-1);
    if (first === undefined || last === undefined) return false;
    return last.last - first.after > POSITIONS_MAX || this.#units > UNITS_MAX;
  }

  #forgetAll(): void {
    this.#groups = [];
    this.#units = 0;
  }
}
