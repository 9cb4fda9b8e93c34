/** The orders to the writers under test, and their reports. */

/** One append of one caller; all its events go down together or not at all. */
export interface ScriptedAppend {
  /** The revision that the stream is then at; null where there is no stream yet. */
  readonly after: number | null;
  readonly eventIds: readonly string[];
}

/** A JSON file, named in a writer's first argument. */
export interface WriterScript {
  readonly file: string;
  /** The appends of each caller, to the stream `job-<caller>`, one after another. */
  readonly callers: readonly (readonly ScriptedAppend[])[];
  /** How often one append is tried before its caller gives up. */
  readonly attemptsMax: number;
  /** Ends the writer thread from outside after this many acknowledgements. */
  readonly killWriterAfter: number | null;
}

export type Outcome = 'acknowledged' | 'unknown' | 'unavailable' | 'other';

/** One line of a writer's standard output: outcome, caller, number of the append. */
export interface Report {
  readonly outcome: Outcome;
  readonly caller: number;
  readonly append: number;
}

export const reportOf = (line: string): Report => {
  const [outcome = '', caller = '', append = ''] = line.split(' ');
  return { outcome: outcome as Outcome, caller: Number(caller), append: Number(append) };
};

export const streamOf = (caller: number): string => `job-${caller}`;

/** One to three events, so that half an append would show. */
const eventsIn = (append: number): number => 1 + (append % 3);

/** Events of one caller's stream once its first `appends` appends have landed. */
export const eventsAfter = (appends: number): number => {
  let events = 0;
  for (let append = 0; append < appends; append += 1) events += eventsIn(append);
  return events;
};

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

const eventIdOf = (caller: number, append: number, index: number): string =>
  `${hex(caller, 8)}-0000-4000-8000-${hex(append, 8)}${hex(index, 4)}`;

export const scriptedAppends = (caller: number, appends: number): readonly ScriptedAppend[] =>
  Array.from({ length: appends }, (_, append) => ({
    after: append === 0 ? null : eventsAfter(append) - 1,
    eventIds: Array.from({ length: eventsIn(append) }, (_, index) =>
      eventIdOf(caller, append, index),
    ),
  }));
