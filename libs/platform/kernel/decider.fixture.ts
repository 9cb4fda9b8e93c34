import { expect } from '@jest/globals';
import { type Decider } from './decider.js';
import { DomainError } from './domain-error.js';

/**
 * Specifies a decider in sentences: `given` facts, `when` a command, `then` exactly these events in
 * this order, or `thenThrows` with a code, or `thenNothing`.
 */
export const deciderSpecOf = <Command, State, Event>({
  initialState,
  decide,
  evolve,
}: Decider<Command, State, Event>) => ({
  given: (...facts: readonly Event[]) => ({
    when: (command: Command) => {
      const decided = (): readonly Event[] => decide(command, facts.reduce(evolve, initialState));
      return {
        then: (...events: readonly Event[]) => expect(decided()).toEqual(events),
        thenNothing: () => expect(decided()).toEqual([]),
        thenThrows: (code: string) => expect(errorOf(decided)).toBe(code),
      };
    },
  }),
});

const errorOf = (decided: () => unknown): string | undefined => {
  try {
    decided();
    return undefined;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return (error as DomainError).code;
  }
};
