/**
 * Cuts a streamed text before the stop string that completes first, also when it straddles two
 * deltas. Of several that complete together, the longest counts: where the text is cut does not
 * depend on its deltas.
 */
export interface StopStrings {
  /** Text that may be shown now; `stopped` after a stop string, which ends the text. */
  push(delta: string): { readonly text: string; readonly stopped: boolean };
  /** The text that was held back as the start of a possible stop string. */
  flush(): string;
}

interface Occurrence {
  readonly start: number;
  readonly end: number;
}

const occurrence = (text: string, stop: string): Occurrence[] => {
  const start = text.indexOf(stop);
  return start < 0 ? [] : [{ start, end: start + stop.length }];
};

/** The stop string that completes first; undefined where the text has none. */
const firstCompleted = (text: string, stops: readonly string[]): Occurrence | undefined =>
  stops
    .flatMap((stop) => occurrence(text, stop))
    .sort((one, other) => one.end - other.end || one.start - other.start)[0];

/** Length of the longest end of `text` that a stop string begins with. */
const openingLength = (text: string, stops: readonly string[]): number => {
  const longest = Math.max(0, ...stops.map((stop) => stop.length - 1));
  for (let length = Math.min(longest, text.length); length > 0; length -= 1) {
    const end = text.slice(-length);
    if (stops.some((stop) => stop.startsWith(end))) return length;
  }
  return 0;
};

/** Empty stop strings are ignored: they would end every answer before it begins. */
export const stopStrings = (stops: readonly string[]): StopStrings => {
  const wanted = stops.filter((stop) => stop !== '');
  let held = '';
  return {
    push: (delta) => {
      const text = held + delta;
      const stop = firstCompleted(text, wanted);
      if (stop) {
        held = '';
        return { text: text.slice(0, stop.start), stopped: true };
      }
      const keep = openingLength(text, wanted);
      held = text.slice(text.length - keep);
      return { text: text.slice(0, text.length - keep), stopped: false };
    },
    flush: () => {
      const rest = held;
      held = '';
      return rest;
    },
  };
};
