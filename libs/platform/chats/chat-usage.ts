import { type UsageDoubt } from '#events/token-usage.vocabulary.js';
import { type TokenPart } from '#events/token-meters.js';

/** Tokens that are charged; a bound when they are held. */
export interface TokenQuantities {
  readonly inputTokens: number;
  readonly outputTokens: number;
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

/** The OpenAI object, for answers and last chunks that are written here. */
export const usageObject = ({ promptTokens, completionTokens, parts }: Usage) => ({
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
  total_tokens: promptTokens + completionTokens,
  ...(parts && detailsOf(parts)),
});

const detailsOf = (parts: UsageParts) => {
  const inputs = {
    cached_tokens: parts.cache_read_tokens,
    cache_write_tokens: parts.cache_write_30m_tokens,
    audio_tokens: parts.audio_input_tokens,
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
