import { type Position } from '#platform/event-store/event-store.port.js';
import { type LogPlaces, PlaceUnknownError } from '#platform/runtime/history/log-places.js';

/**
 * How many events the log has up to a position of its store: the number of the event there, from 1,
 * which a copy of the log keeps. Null while the tree of the log, which counts them, is behind.
 */
export const countAt = async (places: LogPlaces, position: Position): Promise<bigint | null> => {
  try {
    return await places.sizeAt(position);
  } catch (error) {
    if (error instanceof PlaceUnknownError) return null;
    throw error;
  }
};

/** As commands print it. */
export const placeAt = async (places: LogPlaces, position: Position): Promise<string | null> =>
  (await countAt(places, position))?.toString() ?? null;
