import { type UsageDoubt } from '#events/token-usage.vocabulary.js';
import {
  INPUT_METER,
  OUTPUT_METER,
  sideOf,
  TOKEN_PARTS,
  type TokenPart,
} from '#events/token-meters.js';

/** Tokens that are charged; a bound when they are held. */
export interface TokenQuantities {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of the web. Absent: none. */
  readonly searches?: number;
}

/** Tokens of the classes with a meter of their own. A class that is absent was not measured. */
export type UsageParts = Readonly<Partial<Record<TokenPart, number>>>;

/** Token counts as the answering side states them, or as counted here when it states none. */
export interface Usage {
  /** All tokens of the prompt, and all of the answer. */
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Disjoint; together not above the prompt and the answer. The rest is fresh or plain. */
  readonly parts?: UsageParts;
  /** Contradictions in the usage that the rig states; the customer has the benefit. */
  readonly doubts?: readonly UsageDoubt[];
  /** The service tier that the rig states. `fast` is one, too. */
  readonly serviceTier?: string;
  /** Where the work was done, as the rig states it (`us`), for models with a price for that. */
  readonly residency?: string;
  /** Searches of the web that the rig states. Absent: not stated. */
  readonly searches?: number;
  /** Calls of tools that the rig made by itself, as it states them. Absent: not stated. */
  readonly toolCalls?: number;
  /** Later calls of models for the same answer, in their order. No count above includes them. */
  readonly further?: readonly FurtherUsage[];
  /** `provider`: stated by the rig. `counted`: counted by Quipu from the delivered pieces. */
  readonly source: 'provider' | 'counted';
}

/** One more call of a model within an answer: an advisor, a compaction, a fallback. */
export interface FurtherUsage {
  /** As the provider names it. */
  readonly model: string;
  readonly usage: Omit<Usage, 'further' | 'source'>;
}

/** The usage of work that was done in several requests. A count that only one states is kept. */
export const sumOfUsage = (one: Usage | undefined, other: Usage): Usage => {
  if (!one) return other;
  const doubts = [...new Set([...(one.doubts ?? []), ...(other.doubts ?? [])])];
  const further = [...(one.further ?? []), ...(other.further ?? [])];
  const parts = sumOfCounts(TOKEN_PARTS, one.parts, other.parts);
  return {
    ...other,
    promptTokens: one.promptTokens + other.promptTokens,
    completionTokens: one.completionTokens + other.completionTokens,
    source: one.source === 'provider' ? other.source : 'counted',
    ...sumOfCounts(['searches', 'toolCalls'], one, other),
    ...(parts && { parts }),
    ...(doubts.length > 0 && { doubts }),
    ...(further.length > 0 && { further }),
  };
};

/** The sum of each count that one of them has; undefined where none has any. */
const sumOfCounts = <Name extends string>(
  names: readonly Name[],
  one: Readonly<Partial<Record<Name, number>>> | undefined,
  other: Readonly<Partial<Record<Name, number>>> | undefined,
): Partial<Record<Name, number>> | undefined => {
  const sums: Partial<Record<Name, number>> = {};
  for (const name of names) {
    const [first, second] = [one?.[name], other?.[name]];
    if (first !== undefined || second !== undefined) sums[name] = (first ?? 0) + (second ?? 0);
  }
  return Object.keys(sums).length > 0 ? sums : undefined;
};

/** The order in which a cut prompt keeps its tokens: the cheapest first. */
const KEPT: readonly (TokenPart | typeof INPUT_METER | typeof OUTPUT_METER)[] = [
  'cache_read_tokens',
  INPUT_METER,
  OUTPUT_METER,
  ...TOKEN_PARTS.filter((part) => part !== 'cache_read_tokens'),
];

/** Usage that a rig states above a bound is ignored: neither charged nor shown. */
export const usageWithin = (
  usage: Usage,
  { inputTokens, outputTokens }: TokenQuantities,
): Usage => {
  const { parts } = usage;
  const promptTokens = Math.min(usage.promptTokens, inputTokens);
  const completionTokens = Math.min(usage.completionTokens, outputTokens);
  if (promptTokens === usage.promptTokens && completionTokens === usage.completionTokens) {
    return usage;
  }
  const kept: Partial<Record<TokenPart, number>> = {};
  const left = { [INPUT_METER]: promptTokens, [OUTPUT_METER]: completionTokens };
  const rest = { [INPUT_METER]: usage.promptTokens, [OUTPUT_METER]: usage.completionTokens };
  for (const part of TOKEN_PARTS) rest[sideOf(part)] -= parts?.[part] ?? 0;
  for (const meter of KEPT) {
    const side = sideOf(meter);
    const stated = meter === INPUT_METER || meter === OUTPUT_METER ? rest[meter] : parts?.[meter];
    if (stated === undefined) continue;
    const count = Math.min(stated, left[side]);
    left[side] -= count;
    if (meter !== INPUT_METER && meter !== OUTPUT_METER) kept[meter] = count;
  }
  return { ...usage, promptTokens, completionTokens, ...(parts && { parts: kept }) };
};

/** The OpenAI object, for answers and last chunks that are written here. */
export const usageObject = ({ promptTokens, completionTokens, parts }: Usage) => ({
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
  total_tokens: promptTokens + completionTokens,
  ...(parts && detailsOf(parts)),
});

const detailsOf = (parts: UsageParts) => {
  const inputs = {
    cached_tokens: cachedTokens(parts),
    cache_write_tokens: writtenTokens(parts),
    audio_tokens: sumOfMeasured(parts, ['audio_input_tokens', 'cache_read_audio_tokens']),
    image_tokens: parts.image_input_tokens,
  };
  const outputs = {
    reasoning_tokens: parts.reasoning_tokens,
    audio_tokens: parts.audio_output_tokens,
  };
  return {
    ...(hasValue(inputs) && { prompt_tokens_details: inputs }),
    ...(hasValue(outputs) && { completion_tokens_details: outputs }),
  };
};

const hasValue = (details: Readonly<Record<string, number | undefined>>): boolean =>
  Object.values(details).some((value) => value !== undefined);

/** Undefined where no class of them was measured. */
const sumOfMeasured = (parts: UsageParts, names: readonly TokenPart[]): number | undefined => {
  const counts = names.flatMap((name) => parts[name] ?? []);
  return counts.length > 0 ? counts.reduce((sum, count) => sum + count, 0) : undefined;
};

/** Tokens of the prompt that the provider's cache held; undefined where that was not measured. */
export const cachedTokens = (parts: UsageParts): number | undefined =>
  sumOfMeasured(parts, ['cache_read_tokens', 'cache_read_audio_tokens']);

/** Tokens of the prompt that the provider caches, for any time. */
export const writtenTokens = (parts: UsageParts): number | undefined =>
  sumOfMeasured(parts, [
    'cache_write_5m_tokens',
    'cache_write_30m_tokens',
    'cache_write_1h_tokens',
  ]);
