/** An event as the domain sees it: without schema version and envelope. */
export interface DomainEvent {
  readonly type: string;
  readonly data: unknown;
}

/** The part of an event definition that the kernel reads; `events/definition.ts` has the rest. */
export interface DefinitionOf<Event extends DomainEvent> {
  readonly type: Event['type'];
  readonly of: (data: never) => Event;
}

/**
 * The definitions of every event of a union, by name: `{ HoldPlaced, HoldCaptured }`. A missing
 * definition and one that is not in the union do not compile.
 */
export type DefinitionsOf<Event extends DomainEvent> = {
  readonly [Type in Event['type']]: DefinitionOf<Extract<Event, { readonly type: Type }>>;
};

/** The event types that a projection, a saga or a relay subscribes to. */
export const typesOf = (
  on: Readonly<Record<string, { readonly type: string }>>,
): readonly string[] => Object.values(on).map(({ type }) => type);

/**
 * A pure fold that answers one question. It knows no database and no position: the runner loads the
 * documents, applies each event once and saves documents and checkpoint in one write.
 */
export interface Projection<Event extends DomainEvent, Document extends object> {
  /** Names the collection and the checkpoint; a question in dashes. */
  readonly name: string;
  /** Raised whenever `project` or `keys` would give other documents; a rebuild follows. */
  readonly version: number;
  /** Every event it reads; it never receives another one. */
  readonly on: DefinitionsOf<Event>;
  /** The documents that an event changes; an empty list where it changes none. */
  readonly keys: (event: Event) => readonly string[];
  /**
   * Whether `project` depends on the event and the key alone, so that no document is read before it
   * is written: for documents that one event makes. Default: false.
   */
  readonly isWrittenWhole?: boolean;
  /** A missing document starts as this value. */
  readonly initial: (key: string) => Document;
  /** `null` deletes the document. */
  readonly project: (event: Event, document: Document, key: string) => Document | null;
}

/** A projection with documents of one type, whatever events it reads. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a query ignores the event types
export type ProjectionTo<Document extends object> = Projection<any, Document>;

/** The runner treats all projections alike. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a list of unlike projections
export type AnyProjection = Projection<any, any>;
