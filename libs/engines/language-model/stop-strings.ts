/** Cuts a streamed text before the first stop string, also when one straddles two deltas. */
export interface StopStrings {
  /** Text that may be shown now; `stopped` after a stop string, which ends the text. */
  push(delta: string): { readonly text: string; readonly stopped: boolean };
  /** What was held back because it might have become a stop string. */
  flush(): string;
}

const firstIndexOfAny = (text: string, stops: readonly string[]): number =>
  stops.reduce((first, stop) => {
    const index = text.indexOf(stop);
    return index >= 0 && (first < 0 || index < first) ? index : first;
  }, -1);

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
      const index = firstIndexOfAny(text, wanted);
      if (index >= 0) {
        held = '';
        return { text: text.slice(0, index), stopped: true };
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
