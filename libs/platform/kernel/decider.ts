/**
 * A decision as three values and no class. Time, ids, prices and limits arrive in the command;
 * state holds only what `decide` reads.
 *
 * `decide` has three outcomes: events (something happened), `[]` (nothing new), or a thrown
 * `DomainError` (not allowed). `evolve` is total: it accepts every event in any order, never throws
 * and never mutates.
 */
export interface Decider<Command, State, Event> {
  readonly initialState: State;
  readonly decide: (command: Command, state: State) => readonly Event[];
  readonly evolve: (state: State, event: Event) => State;
}
