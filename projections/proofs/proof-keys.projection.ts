import {
  type ProofKeyEvent,
  ProofKeyRegistered,
  ProofKeyRetired,
} from '#events/proofs/proof-key.events.js';
import { type Projection } from '#platform/kernel/projection.js';

export interface RegisteredKey extends Omit<ProofKeyRegistered['data'], 'registeredAt'> {
  /** Null for a key that ships with Quipu. */
  readonly registeredAt: string | null;
  readonly retiredAt: string | null;
}

/** Null before its registration. */
export interface ProofKeyDocument {
  readonly key: RegisteredKey | null;
}

/** Which keys verify proofs, and which did? */
export const proofKeys: Projection<ProofKeyEvent, ProofKeyDocument> = {
  name: 'proof-keys',
  version: 1,
  on: { ProofKeyRegistered, ProofKeyRetired },
  keys: ({ data }) => [data.keyId],
  initial: () => ({ key: null }),
  project: ({ type, data }, { key }) => {
    switch (type) {
      case 'ProofKeyRegistered':
        return { key: { ...data, retiredAt: null } };
      case 'ProofKeyRetired':
        return { key: key && { ...key, retiredAt: data.retiredAt } };
    }
  },
};
