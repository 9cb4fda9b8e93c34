import { type JsonObject } from './chat-backend.js';
import { keepSource } from './json-source.js';
import { ANSWER_LEVELS_MAX, isDeeperThan } from './nesting.js';
import { isObject } from './token-usage.js';

/** Null for what is no JSON object, and for one that is nested too deep. */
export const parseObject = (text: string): JsonObject | null => {
  try {
    const parsed: unknown = JSON.parse(text);
    if (!isObject(parsed) || isDeeperThan(parsed, ANSWER_LEVELS_MAX)) return null;
    keepSource(parsed, text);
    return parsed;
  } catch {
    return null;
  }
};
