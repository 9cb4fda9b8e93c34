import { expect } from '@jest/globals';
import { type DomainEvent } from './projection.js';
import { type Saga, type SagaAction } from './saga.js';

/**
 * Specifies a saga in sentences: `given` events of one process, `when` an event comes, `then` exactly
 * these actions in this order, or `thenNothing`; `thenEnds` when the process is over and forgotten,
 * `thenHolds` what it remembers.
 */
export const specificationOfSaga = <Event extends DomainEvent, State extends object>({
  initialState,
  evolve,
  react,
  key,
  on,
}: Saga<Event, State>) => {
  const after = (state: State, event: Event): State => evolve(state, event) ?? initialState;
  return {
    given: (...events: readonly Event[]) => ({
      when: (event: Event) => {
        const all = [...events, event];
        // What the host would never hand to one process specifies nothing.
        expect(new Set(all.map(key)).size).toBe(1);
        expect(on.map(({ type }) => type)).toEqual(
          expect.arrayContaining(all.map(({ type }) => type)),
        );
        const state = events.reduce(after, initialState);
        return {
          then: (...actions: readonly SagaAction[]) => expect(react(event, state)).toEqual(actions),
          thenNothing: () => expect(react(event, state)).toEqual([]),
          thenHolds: (next: State) => expect(evolve(state, event)).toEqual(next),
          thenEnds: () => expect(evolve(state, event)).toBeNull(),
        };
      },
    }),
  };
};
