import { type TextEnd } from '../text/text-task.js';
import { type TextRequest } from './embedded-request.js';
import { type TextEngine } from './embedded-rig.js';
import { type TextDelta } from './text-delta.js';

/** An engine made of its pieces: a text is one of the first choice, which ends with the end. */
export const engineOf = (
  pieces: (
    request: TextRequest,
    signal: AbortSignal,
  ) => AsyncGenerator<string | TextDelta, TextEnd, void>,
): TextEngine => ({
  stream() {
    throw new Error('a rig asks for choices');
  },

  async *choices(request, signal) {
    const source = pieces(request, signal);
    try {
      let next = await source.next();
      let isPlain = true;
      for (; !next.done; next = await source.next()) {
        if (typeof next.value === 'string') yield { choice: 0, text: next.value };
        else {
          isPlain = false;
          yield next.value;
        }
      }
      const { finishReason } = next.value;
      if (isPlain) yield { choice: 0, text: '', finishReason };
      return next.value;
    } finally {
      await source.return({ promptTokens: 0, completionTokens: 0, finishReason: 'stop' });
    }
  },
});
