/** An event as the domain sees it: the schema version and the envelope are gone. */
export interface DomainEvent {
  readonly type: string;
  readonly data: unknown;
}

/** What a projection needs of an event definition; `events/definition.ts` has the whole. */
export interface NamedEvent {
  readonly type: string;
}

/**
 * A pure fold that answers one question. It knows no database and no position: the runner finds the
 * documents, applies each event once and saves documents and checkpoint in one write.
 */
export interface Projection<Event extends DomainEvent, Document extends object> {
  /** The collection's name and the checkpoint's; a question in dashes. */
  readonly name: string;
  /** Raised whenever `project` or `keys` would give other documents; a rebuild then follows. */
  readonly version: number;
  /** The definitions it reads; every other event is skipped unread. */
  readonly on: readonly NamedEvent[];
  /** The documents an event touches; an empty list means that it touches none. */
  readonly keys: (event: Event) => readonly string[];
  /** A missing document starts here. */
  readonly initial: (key: string) => Document;
  /** `null` deletes the document. */
  readonly project: (event: Event, document: Document, key: string) => Document | null;
}

/** The runner treats every projection alike. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a list of unlike projections
export type AnyProjection = Projection<any, any>;
