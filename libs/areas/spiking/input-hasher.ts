/** A keyed hash of an input, under the key that prompts are hashed with. */
export type InputHasher = (text: string) => string;

export const INPUT_HASHER = Symbol('InputHasher');
