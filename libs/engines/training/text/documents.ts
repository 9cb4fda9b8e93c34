/** Documents of a training text as tokens, each with the weight of predicting it. */
import { z } from 'zod';
import { type LayeredModel } from '../../llama-layers/run/layered-model.js';
import { TrainingError } from '../training.errors.js';

const Turn = z.object({ role: z.enum(['system', 'user', 'assistant']), content: z.string() });

/** One line of a training text: a chat, of which the answers are learned, or a plain text. */
export const TrainingDocument = z.union([
  z.object({ messages: z.array(Turn).min(1), heldOut: z.boolean().optional() }),
  z.object({ text: z.string().min(1), heldOut: z.boolean().optional() }),
]);
export type TrainingDocument = z.infer<typeof TrainingDocument>;

/** @throws TrainingError `text_unusable` */
export const documentsIn = (text: string): readonly TrainingDocument[] =>
  text.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [documentOf(line, index)]));

const documentOf = (line: string, index: number): TrainingDocument => {
  try {
    return TrainingDocument.parse(JSON.parse(line));
  } catch (cause) {
    const message = `line ${index + 1} of the text is no document`;
    throw new TrainingError('text_unusable', message, { cause });
  }
};

export interface TokenDocument {
  readonly ids: readonly number[];
  /** For each id, how much predicting it counts. */
  readonly weights: readonly number[];
}

type Reader = Pick<LayeredModel, 'tokenizer' | 'prompt'>;

/**
 * As the model reads it: a chat in its template, where the answers of the assistant count, each
 * with the token that ends it.
 */
export const tokensOf = (
  document: TrainingDocument,
  { tokenizer, prompt }: Reader,
): TokenDocument => {
  if ('text' in document) {
    const ids = [...tokenizer.encode([{ text: document.text, isTemplate: false }])];
    return { ids, weights: ids.map(() => 1) };
  }
  const ids: number[] = [];
  const weights: number[] = [];
  const add = (id: number, weight: number): void => {
    ids.push(id);
    weights.push(weight);
  };
  let message = 0;
  let isAnswer = false;
  for (const part of prompt.render(document.messages, false)) {
    const wasAnswer = isAnswer;
    isAnswer = !part.isTemplate && document.messages[message]?.role === 'assistant';
    if (!part.isTemplate) message += 1;
    tokenizer.cut(part).forEach((id, at) => {
      const ends = wasAnswer && at === 0 && tokenizer.endIds.has(id);
      add(id, isAnswer || ends ? 1 : 0);
    });
  }
  const begun = tokenizer.begun(ids);
  return { ids: begun, weights: begun.length > ids.length ? [0, ...weights] : weights };
};

/** The part that a teacher continues: all before the last answer, or the first half of a text. */
export const beginningOf = (
  document: TrainingDocument,
  { tokenizer, prompt }: Reader,
): readonly number[] => {
  if ('text' in document) {
    const ids = [...tokenizer.encode([{ text: document.text, isTemplate: false }])];
    return ids.slice(0, Math.max(1, Math.floor(ids.length / 2)));
  }
  const last = document.messages.findLastIndex(({ role }) => role === 'assistant');
  const asked = last === -1 ? document.messages : document.messages.slice(0, last);
  return [...tokenizer.encode(prompt.render(asked))];
};
