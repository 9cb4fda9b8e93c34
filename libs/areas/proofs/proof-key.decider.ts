import { Map as ImmutableMap } from 'immutable';
import {
  type ProofKeyEvent,
  ProofKeyRegistered,
  ProofKeyRetired,
} from '#events/proofs/proof-key.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { BUILT_IN_KEYS } from './built-in.keys.js';
import { reject } from './proofs.errors.js';

/** Registered at a time. */
export const KEYS_MAX = 200;

export type ProofKeyCommand =
  | { readonly type: 'RegisterProofKey'; readonly data: ProofKeyRegistered['data'] }
  | { readonly type: 'RetireProofKey'; readonly data: ProofKeyRetired['data'] };

interface KnownKey {
  readonly sha256: string;
  readonly registeredAt: string;
  readonly isRetired: boolean;
}

export interface ProofKeyState {
  /** By id, with the retired ones: an id means one key for ever. */
  readonly known: ImmutableMap<string, KnownKey>;
  readonly open: number;
}

const isBuiltIn = (keyId: string): boolean => BUILT_IN_KEYS.some((one) => one.keyId === keyId);

const decide = ({ type, data }: ProofKeyCommand, state: ProofKeyState): ProofKeyEvent[] => {
  const { keyId } = data;
  const known = state.known.get(keyId);
  switch (type) {
    case 'RegisterProofKey': {
      if (known && !known.isRetired && known.sha256 === data.sha256) return [];
      if (known || isBuiltIn(keyId)) {
        return reject('proof_key_id_taken', `another key has the id ${keyId}, or had it`);
      }
      if (state.open >= KEYS_MAX) {
        return reject('too_many_proof_keys', `there are ${KEYS_MAX} keys; retire one first`);
      }
      return [ProofKeyRegistered.of(data)];
    }
    case 'RetireProofKey': {
      if (isBuiltIn(keyId)) {
        return reject('proof_key_built_in', `the key ${keyId} ships with Quipu and stays`);
      }
      if (!known) return reject('proof_key_not_found', `there is no proof key ${keyId}`);
      return known.isRetired ? [] : [ProofKeyRetired.of(data)];
    }
  }
};

const evolve = ({ known, open }: ProofKeyState, { type, data }: ProofKeyEvent): ProofKeyState => {
  switch (type) {
    case 'ProofKeyRegistered': {
      const { keyId, sha256, registeredAt } = data;
      return {
        known: known.set(keyId, { sha256, registeredAt, isRetired: false }),
        open: open + 1,
      };
    }
    case 'ProofKeyRetired': {
      const key = known.get(data.keyId);
      if (!key || key.isRetired) return { known, open };
      return { known: known.set(data.keyId, { ...key, isRetired: true }), open: open - 1 };
    }
  }
};

export const proofKeyDecider: Decider<ProofKeyCommand, ProofKeyState, ProofKeyEvent> = {
  initialState: { known: ImmutableMap(), open: 0 },
  decide,
  evolve,
};
