/** A keyed hash of a prompt or a reply, under the key that those of chats are hashed with. */
export type TextHasher = (text: string) => string;

export const TEXT_HASHER = Symbol('TextHasher');
