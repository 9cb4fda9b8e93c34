import { type Usage } from '#platform/chats/chat-usage.js';
import { type JsonObject } from '../../chat-backend.js';
import { isObject, isTokenCount } from '../../token-usage.js';
import { StatedCounts, statedTier } from '../stated-counts.js';

/**
 * The `usageMetadata` of Gemini, whole or merged from the chunks of a stream. The prompt contains
 * the cached tokens; thoughts are beside the candidates, the prompts of tools beside the prompt.
 * Videos and documents have no class of their own: they are fresh input.
 *
 * Protocol buffers leave a 0 out, so an answer of thoughts alone has no count of candidates.
 */
export const geminiUsage = (metadata: unknown): Usage | null => {
  if (!isObject(metadata)) return null;
  const { promptTokenCount: prompt, totalTokenCount: total } = metadata;
  if (!isTokenCount(prompt)) return null;
  const counts = new StatedCounts();
  const tools = counts.count(metadata['toolUsePromptTokenCount']) ?? 0;
  const candidates = counts.count(metadata['candidatesTokenCount']) ?? 0;
  const thoughts = counts.count(metadata['thoughtsTokenCount']);
  const stated = {
    promptTokens: prompt + tools,
    completionTokens: candidates + (thoughts ?? 0),
  };
  const totals = counts.within(stated, total);
  readInput(counts, Math.max(0, totals.promptTokens - tools), metadata);
  const left = counts.take('reasoning_tokens', thoughts, totals.completionTokens);
  const answered = new Modalities(counts, metadata['candidatesTokensDetails']);
  const rest = counts.take('audio_output_tokens', answered.of('AUDIO'), left);
  counts.take('image_output_tokens', answered.of('IMAGE'), rest);
  const serviceTier = tierOf(metadata);
  return {
    ...counts.usage(totals),
    ...(serviceTier !== undefined && { serviceTier }),
  };
};

/** The counts of a chunk are cumulative, and a later chunk may leave one out. */
export const mergedMetadata = (before: JsonObject, metadata: JsonObject): JsonObject => {
  const stated = Object.entries(metadata).filter(([, value]) => value !== null);
  return { ...before, ...Object.fromEntries(stated) };
};

/** The tokens of a list by their modality; a list that is absent measures none. */
class Modalities {
  readonly #tokens = new Map<unknown, number>();

  constructor(counts: StatedCounts, list: unknown) {
    for (const entry of Array.isArray(list) ? (list as readonly unknown[]) : []) {
      if (!isObject(entry)) continue;
      const tokens = counts.count(entry['tokenCount']);
      const { modality } = entry;
      if (tokens !== undefined) this.#tokens.set(modality, (this.of(modality) ?? 0) + tokens);
    }
  }

  of(modality: unknown): number | undefined {
    return this.#tokens.get(modality);
  }
}

/** @param prompt its tokens, without the tokens of tools */
const readInput = (counts: StatedCounts, prompt: number, metadata: JsonObject): void => {
  const cached = counts.count(metadata['cachedContentTokenCount']);
  const stated = new Modalities(counts, metadata['promptTokensDetails']);
  const read = new Modalities(counts, metadata['cacheTokensDetails']);
  const cachedAudio = Math.min(read.of('AUDIO') ?? 0, cached ?? 0);
  let left = prompt;
  if (cachedAudio > 0) left = counts.take('cache_read_audio_tokens', cachedAudio, left);
  if (cached !== undefined) left = counts.take('cache_read_tokens', cached - cachedAudio, left);
  const audio = fresh(stated.of('AUDIO'), read.of('AUDIO'));
  const image = fresh(stated.of('IMAGE'), read.of('IMAGE'));
  // A hit may not state its modalities: the cached part is then the audio that does not fit.
  if ((audio ?? 0) + (image ?? 0) > left) counts.doubt('parts_overlap');
  if (image !== undefined) left = counts.take('image_input_tokens', Math.min(image, left), left);
  if (audio !== undefined) counts.take('audio_input_tokens', Math.min(audio, left), left);
};

const fresh = (count: number | undefined, cached: number | undefined): number | undefined =>
  count === undefined ? undefined : Math.max(0, count - (cached ?? 0));

/** Vertex states how a request was served by the kind of its traffic. */
const TRAFFIC: Readonly<Record<string, string>> = {
  ON_DEMAND_PRIORITY: 'priority',
  ON_DEMAND_FLEX: 'flex',
  ON_DEMAND_OFFPEAK: 'offpeak',
  PROVISIONED_THROUGHPUT: 'provisioned',
};

const tierOf = ({ trafficType, serviceTier }: JsonObject): string | undefined =>
  typeof trafficType === 'string' ? TRAFFIC[trafficType] : statedTier(serviceTier);
