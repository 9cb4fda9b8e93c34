/** How fast llama.cpp serves a model and its quantized form, one after the other. */
import { createLanguageModelEngine } from '../../language-model/language-model.engine.js';

/** Tokens of an answer for each second of it, its prompt included; null where it has none. */
export interface ServingSpeed {
  readonly originalTokensPerSecond: number | null;
  readonly quantizedTokensPerSecond: number | null;
}

/** A measured answer, and how often each model gives one; the fastest counts. */
const [TOKENS, ROUNDS] = [96, 3];

/** @throws the errors of the language-model engine; the reason of the signal */
export const servingSpeeds = async (
  originalFile: string,
  quantizedFile: string,
  signal: AbortSignal,
): Promise<ServingSpeed> => {
  const engine = createLanguageModelEngine({ runningMax: 1 });
  const speedOf = async (modelFile: string): Promise<number> => {
    const request = {
      modelFile,
      messages: [{ role: 'user', content: 'How does billing work?' }] as const,
      maxTokens: TOKENS,
      temperature: 1,
      seed: 1,
    };
    const startedAt = performance.now();
    const { completionTokens } = await readAll(engine.stream(request, signal));
    return (1_000 * completionTokens) / (performance.now() - startedAt);
  };
  try {
    // The first answers load the models.
    for (const file of [originalFile, quantizedFile]) await speedOf(file);
    let [original, quantized] = [0, 0];
    for (let round = 0; round < ROUNDS; round += 1) {
      signal.throwIfAborted();
      original = Math.max(original, await speedOf(originalFile));
      quantized = Math.max(quantized, await speedOf(quantizedFile));
    }
    return {
      originalTokensPerSecond: original === 0 ? null : original,
      quantizedTokensPerSecond: quantized === 0 ? null : quantized,
    };
  } finally {
    await engine.close();
  }
};

const readAll = async <End>(texts: AsyncGenerator<string, End, void>): Promise<End> => {
  for (;;) {
    const next = await texts.next();
    if (next.done === true) return next.value;
  }
};
