import { PrivacySpent } from '#events/cleanrooms/cleanroom.events.js';
import { type Projection } from '#platform/kernel/projection.js';

/** Null before the spend. */
export interface SpendDocument {
  readonly spent: PrivacySpent['data'] | null;
}

export const spendsPrefix = (cleanroomId: string): string => `${cleanroomId}/`;

/** Which answers has a room given, and what has each spent? */
export const privacySpends: Projection<PrivacySpent, SpendDocument> = {
  name: 'privacy-spends',
  version: 1,
  on: { PrivacySpent },
  keys: ({ data }) => [`${spendsPrefix(data.cleanroomId)}${data.spentAt}/${data.spendId}`],
  initial: () => ({ spent: null }),
  project: ({ data }) => ({ spent: data }),
};
