import { expect } from '@jest/globals';
import { type DomainEvent, typesOf } from './projection.js';
import { type Saga, type SagaAction, type SagaCommand } from './saga.js';

/**
 * Specifies a saga in sentences: `given` events of one process, `when` an event occurs, `then`
 * exactly these actions in this order, or `thenNothing`; `thenEnds` when the process ends and its
 * state is deleted, `thenHolds` the state it keeps.
 */
export const sagaSpecOf = <
  Event extends DomainEvent,
  State extends object,
  Command extends SagaCommand,
>({
  initialState,
  evolve,
  react,
  key,
  on,
}: Saga<Event, State, Command>) => {
  const after = (state: State, event: Event): State => evolve(state, event) ?? initialState;
  return {
    given: (...events: readonly Event[]) => ({
      when: (event: Event) => {
        const all = [...events, event];
        // The host hands one process only its own events, of the types in `on`.
        expect(new Set(all.map(key)).size).toBe(1);
        expect(typesOf(on)).toEqual(expect.arrayContaining(all.map(({ type }) => type)));
        const state = events.reduce(after, initialState);
        return {
          then: (...actions: readonly SagaAction<Command>[]) =>
            expect(react(event, state)).toEqual(actions),
          thenNothing: () => expect(react(event, state)).toEqual([]),
          thenHolds: (next: State) => expect(evolve(state, event)).toEqual(next),
          thenEnds: () => expect(evolve(state, event)).toBeNull(),
        };
      },
    }),
  };
};
