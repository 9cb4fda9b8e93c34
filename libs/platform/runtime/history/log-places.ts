import { type Position } from '#platform/event-store/event-store.port.js';

/** The index of the log is so far behind that a place has no number yet. */
export class PlaceUnknownError extends Error {
  override readonly name = 'PlaceUnknownError';
}

/**
 * States of the log by the number of their events, which is the same wherever the log is stored:
 * the size of its tree at that state. Positions belong to one store.
 */
export interface LogPlaces {
  /** How many events there are up to a position. @throws PlaceUnknownError */
  sizeAt(position: Position): Promise<bigint>;

  /**
   * The position of the last of so many events; undefined where the log has fewer.
   * @throws PlaceUnknownError
   */
  positionAt(size: bigint): Promise<Position | undefined>;
}

/** Of a log whose positions count its events. */
export const countedPlaces = (head: () => Promise<Position>): LogPlaces => ({
  sizeAt: (position) => Promise.resolve(position),
  positionAt: async (size) => (size <= (await head()) ? size : undefined),
});
