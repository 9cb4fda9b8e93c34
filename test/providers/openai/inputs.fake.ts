import { z } from 'zod';
import { tokensOf } from '../prefix-cache.js';
import { type EMBEDDINGS_REQUEST } from './chat.schema.js';

export const MODERATIONS_REQUEST = z.strictObject({
  model: z.string().optional(),
  input: z.union([
    z.string(),
    z.array(z.string()).min(1),
    z
      .array(
        z.discriminatedUnion('type', [
          z.strictObject({ type: z.literal('text'), text: z.string() }),
          z.strictObject({
            type: z.literal('image_url'),
            image_url: z.strictObject({ url: z.string() }),
          }),
        ]),
      )
      .min(1),
  ]),
});

const MODEL = 'omni-moderation-latest';

/** A text about harm is flagged; the answer states no usage, as OpenAI's does not. */
export const moderation = ({ input, model = MODEL }: z.infer<typeof MODERATIONS_REQUEST>) => {
  const inputs: readonly unknown[] = Array.isArray(input) ? input : [input];
  const isText = typeof inputs[0] === 'string';
  const results = (isText ? inputs : [JSON.stringify(inputs)]).map((one) => {
    const violence = String(one).includes('harm');
    return {
      flagged: violence,
      categories: { violence, hate: false },
      category_scores: { violence: violence ? 0.97 : 0.01, hate: 0.001 },
      category_applied_input_types: { violence: ['text'], hate: ['text'] },
    };
  });
  return { id: 'modr-1', model, results };
};

export const embeddingsOf = ({ input }: z.infer<typeof EMBEDDINGS_REQUEST>, model: string) => {
  const inputs = [input].flat();
  const tokens = tokensOf(JSON.stringify(inputs));
  return {
    object: 'list',
    data: inputs.map((_, index) => ({ object: 'embedding', index, embedding: [0.6, 0.8] })),
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
};
