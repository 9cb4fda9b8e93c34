import { type JsonObject } from './chat-backend.js';
import { keepSource } from './json-source.js';
import { ANSWER_LEVELS_MAX, isDeeperThan } from './nesting.js';
import { isObject } from './token-usage.js';

/** Null for text that is not a JSON object, and for an object that is nested too deep. */
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
