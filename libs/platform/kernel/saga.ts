import { type DomainEvent, type NamedEvent } from './projection.js';

/** What a saga may ask of its host. Every action's id is derived from the event and its index. */
export type SagaAction =
  | { readonly kind: 'command'; readonly command: string; readonly data: unknown }
  | {
      readonly kind: 'publish';
      readonly topic: string;
      readonly key: string;
      readonly data: unknown;
    }
  | {
      readonly kind: 'schedule';
      /** Unique within the saga; scheduling it again moves it. */
      readonly timer: string;
      /** ISO 8601 UTC. */
      readonly dueAt: string;
      readonly command: string;
      readonly data: unknown;
    }
  | { readonly kind: 'cancel'; readonly timer: string };

/**
 * A pure reaction to events: the host reads the log from a checkpoint, keeps the state, carries out
 * the actions at least once with deterministic ids, and records that it did.
 */
export interface Saga<Event extends DomainEvent, State extends object> {
  readonly name: string;
  readonly on: readonly NamedEvent[];
  /** The process an event belongs to; its events are handled in order. */
  readonly key: (event: Event) => string;
  readonly initialState: State;
  /** `null` ends the process and forgets its state. */
  readonly evolve: (state: State, event: Event) => State | null;
  /** Sees the state before the event. */
  readonly react: (event: Event, state: State) => readonly SagaAction[];
}

/** The host treats every saga alike. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a list of unlike sagas
export type AnySaga = Saga<any, any>;
