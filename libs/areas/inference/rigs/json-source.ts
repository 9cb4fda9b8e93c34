import { type JsonObject } from './chat-backend.js';

/** The JSON that a rig sent, by what was parsed from it and not changed since. */
const sources = new WeakMap<JsonObject, string>();

export const keepSource = (answer: JsonObject, text: string): void => {
  sources.set(answer, text);
};

/** Without white space at either end; undefined for an answer that was made or changed here. */
export const sourceOf = (answer: JsonObject): string | undefined => sources.get(answer)?.trim();
