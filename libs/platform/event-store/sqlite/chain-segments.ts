import { CHAIN_START } from '../event.chain.js';
import { type ChainCheckOptions, type ChainReport, type DamagedEvent } from '../log-chain.port.js';
import { type CheckedSegment, type Seam, type Segment } from './log-chain.protocol.js';

/**
 * Checks a segment. If no seam is given, the event before it counts as undamaged, and the chain
 * continues from the stored hash of that event.
 */
export type CheckSegment = (segment: Segment, seam?: Seam) => Promise<CheckedSegment>;

export const segmentsOf = (upTo: number, positions: number): readonly Segment[] =>
  Array.from({ length: Math.ceil(upTo / positions) }, (_, index) => ({
    from: index * positions,
    upTo: Math.min((index + 1) * positions, upTo),
  }));

/**
 * Checks the segments of a log, several at once, and joins their reports. Each is checked as if the
 * event before it were undamaged. Where the check of that event has found otherwise, the segment is
 * checked again from there: so the report equals the report of one walk over the whole log.
 */
export const checkSegments = async (
  segments: readonly Segment[],
  checkers: readonly CheckSegment[],
  { onProgress, signal }: Omit<ChainCheckOptions, 'upTo'>,
): Promise<ChainReport> => {
  const checks = new SegmentChecks(segments, checkers, signal);
  const damaged: DamagedEvent[] = [];
  let seam: Seam = { stored: CHAIN_START, computed: null };
  let events = 0;
  for (const [index, { upTo }] of segments.entries()) {
    const checked = await checks.of(index, seam);
    events += checked.events;
    damaged.push(...checked.damaged);
    seam = checked.after;
    onProgress?.(BigInt(upTo));
  }
  const position = segments.at(-1)?.upTo ?? 0;
  const { stored } = seam;
  const hash = position === 0 || stored === null ? null : Buffer.from(stored).toString('hex');
  return { events, position: BigInt(position), hash, damaged };
};

/** Each checker takes the next segment that none has taken. */
class SegmentChecks {
  readonly #results: readonly PromiseWithResolvers<CheckedSegment>[];
  #next = 0;

  constructor(
    private readonly segments: readonly Segment[],
    private readonly checkers: readonly CheckSegment[],
    private readonly signal: AbortSignal | undefined,
  ) {
    this.#results = segments.map(() => Promise.withResolvers<CheckedSegment>());
    // The first failure ends the check, and nothing waits for the others.
    for (const { promise } of this.#results) promise.catch(() => undefined);
    for (const checker of checkers) void this.#work(checker);
  }

  async of(index: number, seam: Seam): Promise<CheckedSegment> {
    const segment = this.segments[index];
    const checked = await this.#results[index]?.promise;
    const [checker] = this.checkers;
    if (!segment || !checked || !checker) throw new RangeError(`there is no segment ${index}`);
    return isSameSeam(checked.before, seam) ? checked : checker(segment, seam);
  }

  async #work(check: CheckSegment): Promise<void> {
    for (let index = this.#next; index < this.segments.length; index = this.#next) {
      this.#next += 1;
      const [segment, result] = [this.segments[index], this.#results[index]];
      if (!segment || !result) return;
      try {
        this.signal?.throwIfAborted();
        result.resolve(await check(segment));
      } catch (error) {
        result.reject(error);
      }
    }
  }
}

const isSameSeam = (one: Seam, other: Seam): boolean =>
  isSameHash(one.stored, other.stored) && isSameHash(one.computed, other.computed);

const isSameHash = (one: Uint8Array | null, other: Uint8Array | null): boolean =>
  one === null || other === null ? one === other : Buffer.compare(one, other) === 0;
