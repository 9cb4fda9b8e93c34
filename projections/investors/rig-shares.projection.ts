import { RigShareAllocated, RigShareEnded } from '#events/investors/investor.events.js';
import { type Projection } from '#platform/kernel/projection.js';

export interface RigShare {
  readonly allocated: RigShareAllocated['data'];
  /** Null: the investor holds it. */
  readonly endedAt: string | null;
}

/** Null until the share is allocated. */
export interface RigShareDocument {
  readonly share: RigShare | null;
}

type Event = RigShareAllocated | RigShareEnded;

const ID_DIGITS = 16;

export const investorKey = (investorId: number): string =>
  String(investorId).padStart(ID_DIGITS, '0');

/** Which shares in rigs does or did an investor hold? Keys of one investor order by rig. */
export const rigShares: Projection<Event, RigShareDocument> = {
  name: 'rig-shares',
  version: 1,
  on: { RigShareAllocated, RigShareEnded },
  keys: ({ data: { investorId, rig, allocationId } }) => [
    `${investorKey(investorId)}/${rig}/${allocationId}`,
  ],
  initial: () => ({ share: null }),
  project: ({ type, data }, { share }) => {
    switch (type) {
      case 'RigShareAllocated':
        return { share: { allocated: data, endedAt: null } };
      case 'RigShareEnded':
        return { share: share && { ...share, endedAt: data.endedAt } };
    }
  },
};
