import { setImmediate as nextTurn } from 'node:timers/promises';

/** Events handled without a pause; then the event loop runs other work. */
const EVENTS_PER_TURN = 500;

/**
 * A batch in parts, with a turn of the event loop between them: it may hold thousands of events.
 */
export async function* turnsOf<Event>(
  events: readonly Event[],
): AsyncGenerator<readonly Event[], void> {
  for (let from = 0; from < events.length; from += EVENTS_PER_TURN) {
    if (from > 0) await nextTurn();
    yield events.slice(from, from + EVENTS_PER_TURN);
  }
}
