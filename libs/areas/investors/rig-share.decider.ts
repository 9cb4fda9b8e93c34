import { Map as ImmutableMap } from 'immutable';
import {
  type RigShareEvent,
  RigShareAllocated,
  RigShareEnded,
} from '#events/investors/investor.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { reject } from './investors.errors.js';

export type RigShareCommand =
  | { readonly type: 'AllocateShare'; readonly data: RigShareAllocated['data'] }
  | {
      readonly type: 'EndShare';
      readonly data: Pick<RigShareEnded['data'], 'allocationId' | 'rig' | 'endedAt'>;
    };

type Held = Pick<RigShareAllocated['data'], 'investorId' | 'shareBasisPoints'>;

/** The shares that investors hold, and the ids of all that they ever held. */
export interface RigShareState {
  readonly shares: ImmutableMap<string, Held>;
  readonly ended: ImmutableMap<string, true>;
}

const WHOLE = 10_000;

const allocate = (
  data: RigShareAllocated['data'],
  { shares, ended }: RigShareState,
): readonly RigShareEvent[] => {
  if (shares.has(data.allocationId) || ended.has(data.allocationId)) return [];
  if (data.purchasedOn > data.allocatedAt.slice(0, data.purchasedOn.length)) {
    reject('purchase_in_future', `the purchase is dated ${data.purchasedOn}, which is to come`);
  }
  const left = shares.reduce((rest, { shareBasisPoints }) => rest - shareBasisPoints, WHOLE);
  if (data.shareBasisPoints > left) {
    reject('node_oversold', `${left / 100} percent of the rig ${data.rig} are not allocated`);
  }
  return [RigShareAllocated.of(data)];
};

const decide = (
  { type, data }: RigShareCommand,
  state: RigShareState,
): readonly RigShareEvent[] => {
  switch (type) {
    case 'AllocateShare':
      return allocate(data, state);
    case 'EndShare': {
      if (state.ended.has(data.allocationId)) return [];
      const held = state.shares.get(data.allocationId);
      if (!held) {
        return reject('node_share_not_found', `the rig ${data.rig} has no such allocation`);
      }
      return [RigShareEnded.of({ ...data, investorId: held.investorId })];
    }
  }
};

const evolve = ({ shares, ended }: RigShareState, { type, data }: RigShareEvent): RigShareState => {
  switch (type) {
    case 'RigShareAllocated':
      return { shares: shares.set(data.allocationId, data), ended };
    case 'RigShareEnded':
      return {
        shares: shares.delete(data.allocationId),
        ended: ended.set(data.allocationId, true),
      };
  }
};

/** One rig: its shares are at most the whole. */
export const rigShareDecider: Decider<RigShareCommand, RigShareState, RigShareEvent> = {
  initialState: { shares: ImmutableMap(), ended: ImmutableMap() },
  decide,
  evolve,
};
