import { z } from 'zod';
import { defineEngine } from '#platform/tasks/engine.js';

/** Counts the words of a greeting: a piece for each word, and their number at the end. */
export const countingEngine = defineEngine({
  name: 'counting',
  input: z.strictObject({ greeting: z.string() }),
  piece: z.string(),
  end: z.strictObject({ words: z.int() }),
  tasksMax: { worker: 8, inProcess: 8 },
  failures: {},
  canRunHere: () => Promise.resolve(null),
  open: () =>
    Promise.resolve({
      async *run({ greeting }: { readonly greeting: string }) {
        const words = greeting.split(/\s+/).filter((word) => word !== '');
        for (const word of words) yield await Promise.resolve(word);
        return { words: words.length };
      },
      status: () => ({ ready: true, reasons: [], facts: {} }),
      close: () => Promise.resolve(),
    }),
});
