import { setTimeout as sleep } from 'node:timers/promises';
import {
  StoreUnavailableError,
  UnknownOutcomeError,
} from '#platform/event-store/event-store.errors.js';
import {
  type AppendResult,
  type EventStore,
  type EventToAppend,
  type StreamName,
} from '#platform/event-store/event-store.port.js';

/** How often an append of unknown outcome is repeated. */
const REPEATS_MAX = 3;
const REPEATS: BackOff = { firstMs: 50, maxMs: 200 };

/**
 * Appends at the revision that was read. After an unknown outcome it repeats the same ids at the
 * same revision, which lands once. A store that has become unavailable may have accepted the first
 * attempt, so after an unknown outcome that error is an unknown outcome too.
 *
 * @param revision null for a stream that does not exist
 * @throws UnknownOutcomeError when the repeats did not settle it; else the error of the store
 */
export const appendSettled = async (
  eventStore: EventStore,
  stream: StreamName,
  events: readonly EventToAppend[],
  revision: bigint | null,
): Promise<AppendResult> => {
  let unknown: UnknownOutcomeError | undefined;
  for (let repeats = 0; ; repeats += 1) {
    try {
      return await eventStore.append(stream, events, revision ?? 'no-stream');
    } catch (error) {
      if (error instanceof UnknownOutcomeError) unknown = error;
      if (!unknown || !isUndecided(error)) throw error;
      if (repeats === REPEATS_MAX) throw unknown;
    }
    await sleep(backOffMs(REPEATS, repeats + 1));
  }
};

const isUndecided = (error: unknown): boolean =>
  error instanceof UnknownOutcomeError || error instanceof StoreUnavailableError;
import { type BackOff, backOffMs } from '#platform/kernel/back-off.js';
