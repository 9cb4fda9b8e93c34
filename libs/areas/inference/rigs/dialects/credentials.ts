import { type Credential } from './dialect.js';

/** How a kind of provider takes a key. */
export type KeyHeaders = (key: string) => Readonly<Record<string, string>>;

export const bearer: KeyHeaders = (key) => ({ authorization: `Bearer ${key}` });

/** A key in a header. */
export const apiKey = (key: string, headersOf: KeyHeaders): Credential => {
  const headers = headersOf(key);
  return { headersFor: () => headers };
};
