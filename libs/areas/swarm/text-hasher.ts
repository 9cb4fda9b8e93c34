/** A keyed hash of a text, under the key that prompts are hashed with. */
export type TextHasher = (text: string) => string;

export const TEXT_HASHER = Symbol('SwarmTextHasher');
