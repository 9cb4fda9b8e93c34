import { type Usage } from '#platform/chats/chat-usage.js';
import { type JsonObject } from '../../chat-backend.js';
import { isObject, isTokenCount } from '../../token-usage.js';
import { StatedCounts, statedTier } from '../stated-counts.js';

export interface ConverseSource {
  /** As Bedrock names it. */
  readonly model: string;
  readonly isStream: boolean;
}

/**
 * The `usage` of Bedrock's Converse, which counts fresh input, reads and writes beside each other;
 * it knows neither reasoning nor modalities. A write without its life is one of 5 minutes.
 */
export const converseUsage = (usage: unknown, source: ConverseSource): Usage | null => {
  if (!isObject(usage)) return null;
  const { inputTokens: stated, outputTokens: output } = usage;
  if (!isTokenCount(stated) || !isTokenCount(output)) return null;
  const counts = new StatedCounts();
  const read = counts.count(usage['cacheReadInputTokens']);
  const written = counts.count(usage['cacheWriteInputTokens']);
  const cached = (read ?? 0) + (written ?? 0);
  const isTwice = countsCachedTwice(source) && cached > 0 && stated >= cached;
  if (isTwice) counts.doubt('parts_overlap');
  const fresh = isTwice ? stated - cached : stated;
  const all = { promptTokens: fresh + cached, completionTokens: output };
  const total = usage['totalTokens'];
  // The total of input and output is as good as one that counts the caches, too.
  const totals = total === stated + output ? all : counts.within(all, total);
  const left = counts.take('cache_read_tokens', read, totals.promptTokens);
  readWrites(counts, written, usage['cacheDetails'], left);
  return counts.usage(totals);
};

/** Streams of OpenAI's models state cached tokens within the input, and beside it. */
const countsCachedTwice = ({ model, isStream }: ConverseSource): boolean =>
  isStream && /(^|[./])openai\./.test(model);

const LIVES = [
  ['1h', 'cache_write_1h_tokens'],
  ['5m', 'cache_write_5m_tokens'],
] as const;

const readWrites = (
  counts: StatedCounts,
  written: number | undefined,
  details: unknown,
  room: number,
): void => {
  if (written === undefined) return;
  if (written > room) counts.doubt('parts_above_total');
  let left = Math.min(written, room);
  const entries: readonly unknown[] = Array.isArray(details) ? details : [];
  for (const [life, part] of LIVES) {
    const stated = entries
      .filter((entry): entry is JsonObject => isObject(entry) && entry['ttl'] === life)
      .map((entry) => counts.count(entry['inputTokens']) ?? 0);
    if (stated.length > 0) left = counts.take(part, sumOf(stated), left);
  }
  if (left > 0 || entries.length === 0) counts.take('cache_write_5m_tokens', left, left);
};

const sumOf = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0);

/** The tier of an answer, or of the last event of a stream. */
export const converseTier = ({ serviceTier }: JsonObject): string | undefined =>
  isObject(serviceTier) ? statedTier(serviceTier['type']) : undefined;
