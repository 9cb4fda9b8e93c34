import { Map as ImmutableMap } from 'immutable';
import { ClearanceSet, type Marking } from '#events/vaults/vault.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { reject } from './vaults.errors.js';

/** Keys of an account with a clearance of their own. */
export const CLEARED_KEYS_MAX = 100;

export interface ClearanceCommand {
  readonly type: 'SetClearance';
  readonly data: ClearanceSet['data'];
}

export interface ClearanceState {
  /** Null: none was set. */
  readonly account: Marking | null;
  readonly keys: ImmutableMap<string, Marking>;
}

const decide = ({ data }: ClearanceCommand, { keys }: ClearanceState): ClearanceSet[] => {
  const isNew = data.keyId !== null && data.clearance !== null && !keys.has(data.keyId);
  if (isNew && keys.size >= CLEARED_KEYS_MAX) {
    return reject('too_many_clearances', `${CLEARED_KEYS_MAX} keys have a clearance of their own`);
  }
  return [ClearanceSet.of(data)];
};

const evolve = (state: ClearanceState, { data }: ClearanceSet): ClearanceState => {
  const { keyId, clearance } = data;
  if (keyId === null) return { ...state, account: clearance };
  const keys = clearance === null ? state.keys.delete(keyId) : state.keys.set(keyId, clearance);
  return { ...state, keys };
};

export const clearanceDecider: Decider<ClearanceCommand, ClearanceState, ClearanceSet> = {
  initialState: { account: null, keys: ImmutableMap() },
  decide,
  evolve,
};
