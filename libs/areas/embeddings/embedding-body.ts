import { z } from 'zod';
import { messageOf } from '#platform/kernel/faults.js';

/** Texts and token arrays of one request. */
export const INPUTS_MAX = 2_048;
/** Tokens of all inputs together. */
export const REQUEST_TOKENS_MAX = 300_000;
export const DIMENSIONS_MAX = 16_384;
const TOKEN_ID_MAX = 2 ** 31 - 1;

const Text = z.string().min(1, 'must not be empty');
const Tokens = z
  .array(z.int().min(0).max(TOKEN_ID_MAX))
  .min(1, 'must not be empty')
  .max(REQUEST_TOKENS_MAX);

/**
 * Fields that Quipu uses are strict; all others pass to an upstream unchanged, and a built-in model
 * refuses them by name.
 */
export const EmbeddingBody = z.looseObject({
  model: z.string().min(1).max(256),
  input: z.union([
    Text,
    z.array(Text).min(1, 'must not be empty').max(INPUTS_MAX),
    Tokens,
    z.array(Tokens).min(1, 'must not be empty').max(INPUTS_MAX),
  ]),
  dimensions: z.int().min(1).max(DIMENSIONS_MAX).nullish(),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  user: z.string().max(512).nullish(),
});

export type EmbeddingInput = string | readonly number[];

/** A body that can be priced. */
export interface EmbeddingAsked {
  readonly model: string;
  /** The input as a list, whatever the caller sent. */
  readonly inputs: readonly EmbeddingInput[];
  readonly dimensions: number | null;
  readonly encoding: 'float' | 'base64';
  /** As the caller sent it. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** A body that cannot be read. */
export interface InvalidEmbeddingBody {
  /** Names the fields that are wrong, ten at most. */
  readonly message: string;
  /** The first of them, such as `input[2]`; null for the body itself. */
  readonly param: string | null;
}

interface Fault {
  readonly param: string;
  readonly message: string;
}

const NO_INPUT = 'must be a text, a list of texts, a list of tokens or a list of such lists';

const isTokens = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && typeof value[0] === 'number';

/** The faults of `input`, of which zod's union would only say that nothing fits. */
const inputFaults = (input: unknown): readonly Fault[] => {
  const faultIn = (schema: z.ZodType, value: unknown, param: string): readonly Fault[] =>
    (schema.safeParse(value).error?.issues ?? []).map(({ path, message }) => ({
      param: `${param}${path.map((step) => `[${String(step)}]`).join('')}`,
      message,
    }));
  if (typeof input === 'string') return faultIn(Text, input, 'input');
  if (!Array.isArray(input)) return [{ param: 'input', message: NO_INPUT }];
  const list: readonly unknown[] = input;
  if (list.length === 0) return [{ param: 'input', message: 'must not be empty' }];
  if (typeof list[0] === 'number') return faultIn(Tokens, input, 'input');
  if (list.length > INPUTS_MAX) {
    return [{ param: 'input', message: `has ${list.length} inputs, and may have ${INPUTS_MAX}` }];
  }
  const isText = typeof list[0] === 'string';
  return list.flatMap((one, at) => faultIn(isText ? Text : Tokens, one, `input[${at}]`));
};

export type ReadEmbeddingBody =
  { readonly asked: EmbeddingAsked } | { readonly invalid: InvalidEmbeddingBody };

/** Reads the body of a request, of a line of a batch or of a call of a tool. */
export const readEmbeddingBody = (value: unknown): ReadEmbeddingBody => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { invalid: { message: 'the body must be a JSON object', param: null } };
  }
  const parsed = EmbeddingBody.safeParse(value);
  if (parsed.success) return { asked: askedOf(parsed.data) };
  const others = parsed.error.issues
    .filter(({ path }) => path[0] !== 'input')
    .map(({ path, message }) => ({ param: path.map(String).join('.'), message }));
  const faults = [...others, ...inputFaults('input' in value ? value.input : undefined)];
  return {
    invalid: {
      message: messageOf(faults.map(({ param, message }) => `${param}: ${message}`)),
      param: faults[0]?.param ?? null,
    },
  };
};

const askedOf = (body: z.infer<typeof EmbeddingBody>): EmbeddingAsked => ({
  model: body.model,
  inputs: inputsOf(body.input),
  dimensions: body.dimensions ?? null,
  encoding: body.encoding_format ?? 'float',
  body,
});

const inputsOf = (input: z.infer<typeof EmbeddingBody>['input']): readonly EmbeddingInput[] => {
  if (typeof input === 'string') return [input];
  return isTokens(input) ? [input] : input;
};
