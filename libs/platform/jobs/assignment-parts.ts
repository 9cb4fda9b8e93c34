import { LRUCache } from 'lru-cache';
import { Assignment, assignmentPlace, attemptKey, type JobAttemptRef } from './job.protocol.js';
import { contentOf, type JobSeal } from './job.seal.js';

/** Assignments of which a part is missing; a lost part is published again with all others. */
const INCOMPLETE_MAX = 100;

/** Puts the bodies of assignments together, which may come in several messages. */
export class AssignmentParts {
  readonly #incomplete = new LRUCache<string, ReadonlyMap<number, Buffer>>({ max: INCOMPLETE_MAX });

  constructor(
    private readonly host: string,
    private readonly seal: JobSeal,
  ) {}

  /**
   * Null until the last missing part has come.
   * @throws SealBrokenError
   */
  add(
    ref: JobAttemptRef,
    { part, parts }: { readonly part: number; readonly parts: number },
    data: unknown,
  ): Assignment | null {
    const key = `${attemptKey(ref)}/${parts}`;
    const opened = this.seal.open(assignmentPlace(this.host, ref, part, parts), data);
    const known = new Map(this.#incomplete.get(key)).set(part, opened);
    if (known.size < parts) {
      this.#incomplete.set(key, known);
      return null;
    }
    this.#incomplete.delete(key);
    const inOrder = [...known].toSorted(([one], [other]) => one - other);
    return contentOf(Buffer.concat(inOrder.map(([, bytes]) => bytes)), Assignment);
  }
}
