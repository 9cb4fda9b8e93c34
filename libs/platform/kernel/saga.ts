import { type DefinitionsOf, type DomainEvent } from './projection.js';

/** A command that a saga sends; `type` names it in the saga's command table. */
export interface SagaCommand {
  readonly type: string;
  /** JSON: a scheduled command is stored until it is due. */
  readonly data: unknown;
}

/**
 * The actions of a saga for its host. Every action's id is derived from the event and its index.
 */
export type SagaAction<Command extends SagaCommand = never> =
  | { readonly kind: 'command'; readonly command: Command }
  | {
      readonly kind: 'publish';
      readonly topic: string;
      readonly key: string;
      readonly data: unknown;
    }
  | {
      readonly kind: 'schedule';
      /** Unique within the process; scheduling it again moves it. */
      readonly timer: string;
      /** ISO 8601 UTC. */
      readonly dueAt: string;
      readonly command: Command;
    }
  | { readonly kind: 'cancel'; readonly timer: string };

/**
 * A pure reaction to events: the host reads the log from a checkpoint, keeps the state, carries out
 * the actions at least once under deterministic ids, and records that it did.
 *
 * `Command` is the union of the commands it sends; `never` for a saga that only publishes.
 */
export interface Saga<
  Event extends DomainEvent,
  State extends object,
  Command extends SagaCommand = never,
> {
  readonly name: string;
  /** Every event it reads; it never receives another one. */
  readonly on: DefinitionsOf<Event>;
  /** The process that an event belongs to; the events of one process are handled in order. */
  readonly key: (event: Event) => string;
  readonly initialState: State;
  /** `null` ends the process and deletes its state. */
  readonly evolve: (state: State, event: Event) => State | null;
  /** Receives the state before the event. */
  readonly react: (event: Event, state: State) => readonly SagaAction<Command>[];
}

/** The host treats all sagas alike. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a list of unlike sagas
export type AnySaga = Saga<any, any, any>;
