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
import { type BackOff, backOffMs } from '#platform/kernel/back-off.js';

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
export const appendSettled = (
  eventStore: EventStore,
  stream: StreamName,
  events: readonly EventToAppend[],
  revision: bigint | null,
): Promise<AppendResult> => {
  const expected = revision ?? 'no-stream';
  return eventStore.append(stream, events, expected).catch((error: unknown) => {
    if (!(error instanceof UnknownOutcomeError)) throw error;
    return repeated(() => eventStore.append(stream, events, expected), error);
  });
};

const repeated = async (
  append: () => Promise<AppendResult>,
  first: UnknownOutcomeError,
): Promise<AppendResult> => {
  let unknown = first;
  for (let repeats = 1; repeats <= REPEATS_MAX; repeats += 1) {
    await sleep(backOffMs(REPEATS, repeats));
    try {
      return await append();
    } catch (error) {
      if (!isUndecided(error)) throw error;
      if (error instanceof UnknownOutcomeError) unknown = error;
    }
  }
  throw unknown;
};

const isUndecided = (error: unknown): boolean =>
  error instanceof UnknownOutcomeError || error instanceof StoreUnavailableError;
