import { type JsonObject } from './chat-backend.js';

const SOURCE = Symbol('source');

interface Sourced {
  readonly [SOURCE]?: string;
}

/**
 * Keeps the JSON that a rig sent with what was parsed from it. The property is not enumerable, so a
 * changed copy does not have it. A `WeakMap` costs each chunk as much as its parsing.
 */
export const keepSource = (answer: JsonObject, text: string): void => {
  Object.defineProperty(answer, SOURCE, { value: text });
};

/** Without white space at either end; undefined for an answer that was made or changed here. */
export const sourceOf = (answer: JsonObject & Sourced): string | undefined =>
  answer[SOURCE]?.trim();
