/** The part of `config.json` that a plain Llama is computed by. Unknown keys change nothing. */
import { z } from 'zod';
import { type LlamaShape } from '../../training/model/llama-shape.js';
import { reject } from '../model-import.errors.js';

const Size = z.int().positive().max(1_048_576);
const Id = z.int().nonnegative();
const PlainRotation = z
  .object({
    rope_type: z.literal('default').optional(),
    rope_theta: z.number().positive().optional(),
  })
  .nullish();

const Config = z.object({
  model_type: z.literal('llama'),
  hidden_size: Size,
  num_hidden_layers: Size.max(256),
  num_attention_heads: Size,
  num_key_value_heads: Size.nullish(),
  head_dim: Size.nullish(),
  intermediate_size: Size,
  max_position_embeddings: Size,
  vocab_size: Size,
  rms_norm_eps: z.number().positive(),
  rope_theta: z.number().positive().nullish(),
  rope_scaling: PlainRotation,
  rope_parameters: PlainRotation,
  partial_rotary_factor: z.literal(1).nullish(),
  hidden_act: z.literal('silu').default('silu'),
  attention_bias: z.literal(false).default(false),
  mlp_bias: z.literal(false).default(false),
  sliding_window: z.null().optional(),
  bos_token_id: Id.nullish(),
  eos_token_id: z.union([Id, z.array(Id).min(1)]).nullish(),
  pad_token_id: Id.nullish(),
});

export interface ReadConfig {
  readonly shape: LlamaShape;
  readonly firstId: number | null;
  readonly endId: number | null;
  readonly paddingId: number | null;
}

/** @throws ModelImportError `side_file_invalid`, which names the key */
export const readConfig = (text: string | null): ReadConfig => {
  const config = parsedAs(Config, text, 'config.json');
  const { hidden_size: width, num_attention_heads: heads, eos_token_id: end } = config;
  if (width % heads !== 0 || (config.head_dim ?? width / heads) !== width / heads) {
    return wrong('config.json', 'head_dim', 'expected hidden_size / num_attention_heads');
  }
  const [endId = null] = [end ?? null].flat();
  return {
    shape: {
      vocabulary: config.vocab_size,
      width,
      layers: config.num_hidden_layers,
      heads,
      keyHeads: config.num_key_value_heads ?? heads,
      feedForwardWidth: config.intermediate_size,
      contextLength: config.max_position_embeddings,
      ropeBase: config.rope_theta ?? config.rope_parameters?.rope_theta ?? 10_000,
      normEpsilon: config.rms_norm_eps,
    },
    firstId: config.bos_token_id ?? null,
    endId,
    paddingId: config.pad_token_id ?? null,
  };
};

const wrong = (file: string, key: string, detail: string): never =>
  reject('side_file_invalid', `${file}: ${key}: ${detail}`);

/** @throws ModelImportError `side_file_invalid` */
export const parsedAs = <Schema extends z.ZodType>(
  schema: Schema,
  text: string | null,
  file: string,
): z.output<Schema> => {
  if (text === null) {
    return reject('side_file_invalid', `safetensors need a ${file}, and there is none`);
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return reject('side_file_invalid', `${file}: expected JSON`);
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return wrong(file, issue?.path.join('.') ?? '', issue?.message ?? 'it is not readable');
};
