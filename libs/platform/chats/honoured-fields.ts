import { type Fields, isFields } from './read-answer.js';

/** The fields that an engine honours, each with the values for which that is true. */
export type HonouredFields = Readonly<Record<string, (value: unknown) => boolean>>;

export const always = (): boolean => true;
export const isEmpty = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : isFields(value) && Object.keys(value).length === 0;
export const equals =
  (...allowed: readonly unknown[]) =>
  (value: unknown): boolean =>
    allowed.includes(value);

/** Fields that every engine of ours honours, or can ignore without changing the answer. */
export const HONOURED_BY_ALL: HonouredFields = {
  model: always,
  messages: always,
  max_tokens: always,
  max_completion_tokens: always,
  temperature: always,
  top_p: always,
  stop: always,
  seed: always,
  stream: always,
  stream_options: always,
  // The caller's own labels, and hints that do not change the answer.
  user: always,
  metadata: always,
  safety_identifier: always,
  prompt_cache_key: always,
  prompt_cache_retention: always,
  prediction: always,
  parallel_tool_calls: always,
  service_tier: equals('auto', 'default'),
  // Values that turn a feature off, as clients send them by default.
  store: equals(false),
  presence_penalty: equals(0),
  frequency_penalty: equals(0),
  logit_bias: isEmpty,
  functions: isEmpty,
  function_call: equals('none', 'auto'),
  modalities: (value) => Array.isArray(value) && value.length === 1 && value[0] === 'text',
};

/** The fields of a body that are not honoured; `null` is as good as absent. */
export const fieldsBeside = (honoured: HonouredFields, body: Fields): readonly string[] =>
  Object.keys(body).filter((field) => {
    const value = body[field];
    if (value === undefined || value === null) return false;
    return !(Object.hasOwn(honoured, field) && honoured[field]?.(value));
  });
