import { type JsonObject } from './chat-backend.js';

const SOURCE = Symbol('source');
const ORIGINAL = Symbol('original');

interface Sourced {
  readonly [SOURCE]?: string;
  readonly [ORIGINAL]?: string;
}

/**
 * Keeps the JSON of a rig with the object parsed from it. The property is not enumerable, so a
 * changed copy does not have it. A `WeakMap` costs each chunk as much as its parsing.
 */
export const keepSource = (answer: JsonObject, text: string): void => {
  Object.defineProperty(answer, SOURCE, { value: text });
};

/** Without white space at either end; undefined for an answer that was made or changed here. */
export const sourceOf = (answer: JsonObject & Sourced): string | undefined =>
  answer[SOURCE]?.trim();

/** Keeps an event of the caller's own dialect with the chunk that it is read as. */
export const keepOriginal = (chunk: JsonObject, event: string): void => {
  Object.defineProperty(chunk, ORIGINAL, { value: event });
};

/** Undefined for a chunk that is not to be sent as another dialect's event. */
export const originalOf = (chunk: JsonObject & Sourced): string | undefined => chunk[ORIGINAL];
