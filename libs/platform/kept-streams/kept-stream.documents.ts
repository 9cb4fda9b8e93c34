/** Not read models: nothing rebuilds them, and no decision reads them. */
export const KEPT_STREAMS = 'kept-streams.v1';

/** The state of a stream: who may read it, and how far it is. */
export interface StreamDocument {
  readonly accountId: string;
  /** Whose key seals the events. */
  readonly subject: string;
  /** A keyed hash of the request, which a repeat of it has again. */
  readonly requestHash: string;
  /** The interface whose events these are; for its reader to know. */
  readonly form: string;
  /** The number of events in pages. */
  readonly events: number;
  readonly end: 'open' | 'ended' | 'too-long';
  /** When this was written, by the clock of the writer, in milliseconds since the Unix epoch. */
  readonly writtenAtMs: number;
}

/** Consecutive events; the key has the number of the last one. */
export interface PageDocument {
  /** A JSON list of texts, sealed for the subject. */
  readonly sealed: string;
}

const DIGITS = 10;

export const STATES = 's/';
export const stateKey = (streamId: string): string => `${STATES}${streamId}`;
export const streamIdOf = (key: string): string => key.slice(STATES.length);
/** Written by the readers of the stream, so that its process sees that it is read. */
export const readersKey = (streamId: string): string => `r/${streamId}`;
export const pagesPrefix = (streamId: string): string => `p/${streamId}/`;
/** Written to cancel the stream. */
export const cancelKey = (streamId: string): string => `c/${streamId}`;

/** @param last the number of the last event of the page, so that a list finds an event by `from` */
export const pageKey = (streamId: string, last: number): string =>
  `${pagesPrefix(streamId)}${String(last).padStart(DIGITS, '0')}`;

export const lastEventOf = (key: string): number => Number(key.slice(-DIGITS));

/** The seal binds a page to its place: a page that was moved does not open. */
export const pageField = (streamId: string, last: number): string =>
  `kept-streams.page/${streamId}/${last}`;
