import { type Usage } from '#platform/chats/chat-usage.js';
import { type JsonObject } from '../../chat-backend.js';
import { isObject, isTokenCount } from '../../token-usage.js';
import { StatedCounts, statedTier, type Totals } from '../stated-counts.js';

/**
 * The `usage` object of OpenAI's chat completions, and of the servers that speak its dialect: vLLM,
 * DeepSeek, xAI, Mistral, Groq, OpenRouter. `prompt_tokens` contains cached, written, audio and
 * image tokens, `completion_tokens` contains reasoning and audio.
 *
 * Without a valid prompt and completion the whole is not stated, so that a hostile upstream can
 * neither credit a customer nor fill a ledger. Where counts contradict each other, the customer has
 * the benefit, and `doubts` says so.
 */
export const statedUsage = (usage: unknown): Usage | null => {
  if (!isObject(usage)) return null;
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = usage;
  if (!isTokenCount(prompt) || !isTokenCount(completion)) return null;
  const inputs = usage['prompt_tokens_details'];
  const outputs = usage['completion_tokens_details'];
  const counts = new StatedCounts();
  const reasoning = isObject(outputs) ? counts.count(outputs['reasoning_tokens']) : undefined;
  // Older models of xAI count reasoning beside the completion: the total tells.
  const isBeside = reasoning !== undefined && total === prompt + completion + reasoning;
  const completionTokens = isBeside ? completion + reasoning : completion;
  const totals = counts.within({ promptTokens: prompt, completionTokens }, total);
  readInput(counts, totals, isObject(inputs) ? inputs : NONE, usage['prompt_cache_hit_tokens']);
  const left = counts.take('reasoning_tokens', reasoning, totals.completionTokens);
  if (isObject(outputs)) {
    counts.take('audio_output_tokens', counts.count(outputs['audio_tokens']), left);
  }
  const tools = usage['server_tool_use_details'];
  if (!isObject(tools)) return counts.usage(totals);
  const called = toolCounts(counts, tools);
  return { ...counts.usage(totals), ...called };
};

const NONE: JsonObject = {};

/** The tools of OpenRouter's servers. A search is a call of a tool, too. */
const toolCounts = (
  counts: StatedCounts,
  details: JsonObject,
): Pick<Usage, 'searches' | 'toolCalls'> => {
  const searches = counts.count(details['web_search_requests']);
  const toolCalls = counts.count(details['tool_calls_executed']);
  return {
    ...(searches !== undefined && { searches }),
    ...(toolCalls !== undefined && { toolCalls }),
  };
};

/** The `usage` object of OpenAI's responses: the same counts by other names. */
export const responseUsage = (usage: unknown): Usage | null =>
  isObject(usage)
    ? statedUsage({
        prompt_tokens: usage['input_tokens'],
        completion_tokens: usage['output_tokens'],
        total_tokens: usage['total_tokens'],
        prompt_tokens_details: usage['input_tokens_details'],
        completion_tokens_details: usage['output_tokens_details'],
      })
    : null;

const readInput = (
  counts: StatedCounts,
  { promptTokens }: Totals,
  details: JsonObject,
  cacheHits: unknown,
): void => {
  const read = counts.count(details['cached_tokens']) ?? counts.count(cacheHits);
  const written = counts.count(details['cache_write_tokens']);
  const audio = counts.count(details['audio_tokens']);
  const image = counts.count(details['image_tokens']);
  // Reading is the cheapest class, so it is believed first.
  let left = counts.take('cache_read_tokens', read, promptTokens);
  left = counts.take('cache_write_30m_tokens', written, left);
  if ((audio ?? 0) + (image ?? 0) <= left) {
    left = counts.take('audio_input_tokens', audio, left);
    counts.take('image_input_tokens', image, left);
  } else {
    counts.doubt('parts_overlap');
  }
};

/** The service tier that an answer or a chunk states; undefined for the standard one. */
export const serviceTierOf = ({ service_tier: tier }: JsonObject): string | undefined =>
  statedTier(tier);
