import { type KeyKind } from '#events/identity/identity.vocabulary.js';

/** The kinds of keys by their words on the command line. */
export const KEY_KINDS = { api: 'user', renter: 'renter' } as const satisfies Readonly<
  Record<string, KeyKind>
>;

export type KeyWord = keyof typeof KEY_KINDS;
