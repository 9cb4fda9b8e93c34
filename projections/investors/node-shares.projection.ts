import { NodeShareAllocated, NodeShareEnded } from '#events/investors/investor.events.js';
import { type Projection } from '#platform/kernel/projection.js';

export interface NodeShare {
  readonly allocated: NodeShareAllocated['data'];
  /** Null: the investor holds it. */
  readonly endedAt: string | null;
}

/** Null until the share is allocated. */
export interface NodeShareDocument {
  readonly share: NodeShare | null;
}

type Event = NodeShareAllocated | NodeShareEnded;

const ID_DIGITS = 16;

export const investorKey = (investorId: number): string =>
  String(investorId).padStart(ID_DIGITS, '0');

/** Which shares in rigs does or did an investor hold? Keys of one investor order by rig. */
export const nodeShares: Projection<Event, NodeShareDocument> = {
  name: 'node-shares',
  version: 1,
  on: { NodeShareAllocated, NodeShareEnded },
  keys: ({ data: { investorId, rig, allocationId } }) => [
    `${investorKey(investorId)}/${rig}/${allocationId}`,
  ],
  initial: () => ({ share: null }),
  project: ({ type, data }, { share }) => {
    switch (type) {
      case 'NodeShareAllocated':
        return { share: { allocated: data, endedAt: null } };
      case 'NodeShareEnded':
        return { share: share && { ...share, endedAt: data.endedAt } };
    }
  },
};
