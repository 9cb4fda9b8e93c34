import { type FurtherUsage, type Usage } from '#platform/chats/chat-usage.js';
import { type JsonObject } from '../../chat-backend.js';
import { isObject, isTokenCount } from '../../token-usage.js';
import { StatedCounts, statedTier } from '../stated-counts.js';

/**
 * The `usage` object of Anthropic's Messages. Cached input is counted beside `input_tokens`, and
 * thinking within `output_tokens`. An answer of several calls of models has them as `iterations`,
 * whose sum is the bill: the top level leaves some of them out.
 *
 * @param model of the request, for a call that names none
 */
export const messageUsage = (usage: unknown, model: string): Usage | null => {
  if (!isObject(usage) || !isTokenCount(usage['output_tokens'])) return null;
  const { iterations } = usage;
  const calls = Array.isArray(iterations) ? iterations.slice(0, CALLS_MAX).filter(isObject) : [];
  const own = calls.filter(({ type }) => type === 'message');
  const counted = own.length > 0 ? sumOf(own) : usage;
  const further = calls
    .filter(({ type }) => type !== 'message')
    .map((call): FurtherUsage => {
      const { source: _source, ...used } = countsOf(call);
      return { model: typeof call['model'] === 'string' ? call['model'] : model, usage: used };
    });
  return {
    ...countsOf(counted),
    ...factsOf(usage),
    ...(further.length > 0 && { further }),
  };
};

/** Calls of models in one answer: more are not read. */
const CALLS_MAX = 256;

/** Classes of the input, each beside the others. */
const countsOf = (usage: JsonObject): Usage => {
  const counts = new StatedCounts();
  const fresh = counts.count(usage['input_tokens']) ?? 0;
  const read = counts.count(usage['cache_read_input_tokens']);
  const written = counts.count(usage['cache_creation_input_tokens']);
  const { cache_creation: lives, output_tokens_details: details } = usage;
  const hour = isObject(lives) ? counts.count(lives['ephemeral_1h_input_tokens']) : undefined;
  const minutes = isObject(lives) ? counts.count(lives['ephemeral_5m_input_tokens']) : undefined;
  // A write without a stated life lives for five minutes.
  const short = minutes ?? (written === undefined ? undefined : Math.max(0, written - (hour ?? 0)));
  const promptTokens = fresh + (read ?? 0) + (short ?? 0) + (hour ?? 0);
  const completionTokens = counts.count(usage['output_tokens']) ?? 0;
  counts.take('cache_read_tokens', read, promptTokens);
  counts.take('cache_write_5m_tokens', short, promptTokens);
  counts.take('cache_write_1h_tokens', hour, promptTokens);
  const thinking = isObject(details) ? counts.count(details['thinking_tokens']) : undefined;
  counts.take('reasoning_tokens', thinking, completionTokens);
  return counts.usage({ promptTokens, completionTokens });
};

/** The facts that decide the price, beside the tokens. */
const factsOf = (usage: JsonObject): Partial<Usage> => {
  const { service_tier: tier, speed, inference_geo: place, server_tool_use: tools } = usage;
  const searches = isObject(tools) ? tools['web_search_requests'] : undefined;
  const serviceTier = statedTier(speed === 'fast' ? speed : tier);
  const residency = statedTier(place);
  return {
    ...(serviceTier !== undefined && { serviceTier }),
    ...(residency !== undefined && !NO_PLACES.has(residency) && { residency }),
    ...(isTokenCount(searches) && { searches }),
  };
};

/** An answer that was made anywhere. */
const NO_PLACES: ReadonlySet<string> = new Set(['global', 'not_available']);

/** The calls of the model that was asked, as one. A count that none of them has stays absent. */
const sumOf = (calls: readonly JsonObject[]): JsonObject =>
  calls.reduce((sum, call) => added(sum, call), {});

const added = (sum: JsonObject, call: JsonObject): JsonObject => {
  const all: Record<string, unknown> = { ...sum };
  for (const [name, value] of Object.entries(call)) {
    const before = all[name];
    if (isObject(value)) all[name] = added(isObject(before) ? before : {}, value);
    else if (typeof value === 'number')
      all[name] = (typeof before === 'number' ? before : 0) + value;
  }
  return all;
};

/**
 * The usage of a stream: each statement replaces the earlier one, field by field. A field that is
 * null or absent keeps the earlier one.
 */
export const mergedUsage = (before: JsonObject, stated: unknown): JsonObject => {
  if (!isObject(stated)) return before;
  const all: Record<string, unknown> = { ...before };
  for (const [name, value] of Object.entries(stated)) if (value !== null) all[name] = value;
  return all;
};
