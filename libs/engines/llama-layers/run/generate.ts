import { PromptTooLongError } from '../../language-model/language-model.engine.errors.js';
import { type ChatMessage } from '../../language-model/language-model.protocol.js';
import { stopStrings } from '../../language-model/stop-strings.js';
import { sample, type Sampling } from '../text/sampler.js';
import { type LayeredModel } from './layered-model.js';
import { type LayerRun } from './layer-run.js';

/** A context is no longer than this, whatever the model was trained for. */
export const CONTEXT_TOKENS_MAX = 8_192;
/** A prompt is read in pieces of this many positions: a cancellation waits for one of them. */
export const PIECE_TOKENS = 128;

export interface GenerationOrder extends Sampling {
  readonly messages: readonly ChatMessage[];
  readonly maxTokens: number;
  /** The answer ends before the first of these appears. */
  readonly stop: readonly string[];
}

export interface Generated {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly finishReason: 'stop' | 'length';
}

/** Of whole characters, with the tokens up to its end. */
export interface Delta {
  readonly text: string;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/**
 * Generates an answer. Counts as the llama.cpp engine does: the token that ends an answer is not
 * counted.
 * @throws PromptTooLongError, ModelFailedError; LayersError
 */
export async function* generate(
  { header, tokenizer, prompt }: LayeredModel,
  run: LayerRun,
  order: GenerationOrder,
  isCancelled: () => boolean,
): AsyncGenerator<Delta, Generated, void> {
  const ids = tokenizer.encode(prompt.render(order.messages));
  const contextTokens = Math.min(header.shape.contextTokens, CONTEXT_TOKENS_MAX);
  if (ids.length >= contextTokens) throw new PromptTooLongError(ids.length, contextTokens);
  const promptTokens = ids.length;
  const tokensMax = Math.min(order.maxTokens, contextTokens - promptTokens);
  const decoder = tokenizer.decoder();
  const filter = stopStrings(order.stop);
  let completionTokens = 0;
  const ended = (finishReason: 'stop' | 'length'): Generated => ({
    promptTokens,
    completionTokens,
    finishReason,
  });

  let logits = await readPrompt(run, ids, isCancelled);
  while (logits !== null && !isCancelled()) {
    const token = sample(logits, order, completionTokens);
    if (tokenizer.endIds.has(token)) break;
    completionTokens += 1;
    const { text, stopped } = filter.push(decoder.push(token));
    if (text !== '') yield { text, promptTokens, completionTokens };
    if (stopped) return ended('stop');
    if (completionTokens >= tokensMax) break;
    logits = await run.advance(Int32Array.of(token), true);
  }
  const { text, stopped } = filter.push(decoder.flush());
  const rest = text + (stopped ? '' : filter.flush());
  if (rest !== '') yield { text: rest, promptTokens, completionTokens };
  return ended(completionTokens >= tokensMax ? 'length' : 'stop');
}

const readPrompt = async (
  run: LayerRun,
  ids: Int32Array,
  isCancelled: () => boolean,
): Promise<Float32Array | null> => {
  let logits: Float32Array | null = null;
  for (let at = 0; at < ids.length && !isCancelled(); at += PIECE_TOKENS) {
    const isEnd = at + PIECE_TOKENS >= ids.length;
    logits = await run.advance(ids.slice(at, at + PIECE_TOKENS), isEnd);
  }
  return isCancelled() ? null : logits;
};
