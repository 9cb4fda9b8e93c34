import { type Usage } from '#platform/chats/chat-usage.js';
import { type JsonObject } from './chat-backend.js';
import { type ScoringAnswer, type ScoringRequest } from './scoring-backend.js';
import { isObject, isTokenCount } from './token-usage.js';

/** Null for JSON that is not the answer to this request. */
export const scoringAnswerIn = (
  answer: JsonObject,
  request: ScoringRequest,
): ScoringAnswer | null => {
  const { results, model, id } = answer;
  if (!Array.isArray(results) || !results.every(isObject)) return null;
  const isWhole =
    request.task === 'rerank' ? isRanking(results, request) : isModeration(results, request);
  if (!isWhole) return null;
  return {
    results,
    id: textOf(id),
    modelAnswered: textOf(model),
    usage: statedUsageOf(answer) ?? countedScoring(request),
  };
};

const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

/** A verdict for each input. */
const isModeration = (
  results: readonly JsonObject[],
  { items }: Pick<ScoringRequest, 'items'>,
): boolean =>
  results.length === items &&
  results.every((result) => isObject(result['categories']) && isObject(result['category_scores']));

/** Documents of the request, each once, with a score. */
const isRanking = (
  results: readonly JsonObject[],
  { items }: Pick<ScoringRequest, 'items'>,
): boolean => {
  const seen = new Set<unknown>();
  return results.every(({ index, relevance_score: score }) => {
    const isNew = !seen.has(index);
    seen.add(index);
    return isNew && isTokenCount(index) && index < items && Number.isFinite(score);
  });
};

/** Tokens of OpenAI's, Jina's and vLLM's `usage`; searches and tokens of Cohere's `meta`. */
const statedUsageOf = ({ usage, meta }: JsonObject): Usage | null => {
  const { prompt_tokens: prompt, total_tokens: total } = isObject(usage) ? usage : {};
  const { billed_units: units, tokens } = isObject(meta) ? meta : {};
  const { search_units: searches } = isObject(units) ? units : {};
  const { input_tokens: input } = isObject(tokens) ? tokens : {};
  const stated = [prompt, total, input].find((count) => isTokenCount(count) && count > 0);
  if (stated === undefined && !isTokenCount(searches)) return null;
  return {
    promptTokens: isTokenCount(stated) ? stated : 0,
    completionTokens: 0,
    ...(isTokenCount(searches) && { searches }),
    source: 'provider',
  };
};

/** The least usage of a request for an upstream that states none, never above the bound. */
export const countedScoring = ({ counted, promptTokensMax }: ScoringRequest): Usage => ({
  ...counted,
  promptTokens: Math.min(counted.promptTokens, promptTokensMax),
  completionTokens: 0,
  source: 'counted',
});
