import {
  type FleetEvent,
  FleetRigAssigned,
  FleetRigRemoved,
} from '#events/partners/partner.events.js';
import { type PartnerId } from '#events/partners/partner.vocabulary.js';
import { type Decider } from '#platform/kernel/decider.js';
import { reject } from './partners.errors.js';

export type FleetCommand =
  | { readonly type: 'AssignRig'; readonly data: FleetRigAssigned['data'] }
  | { readonly type: 'RemoveRig'; readonly data: FleetRigRemoved['data'] };

/** In whose fleet; null: in none. */
export interface FleetState {
  readonly partnerId: PartnerId | null;
}

const decide = ({ type, data }: FleetCommand, { partnerId }: FleetState): readonly FleetEvent[] => {
  switch (type) {
    case 'AssignRig':
      if (partnerId === data.partnerId) return [];
      if (partnerId !== null)
        reject('rig_in_fleet', `rig ${data.rig} is in the fleet of a partner`);
      return [FleetRigAssigned.of(data)];
    case 'RemoveRig':
      if (partnerId === data.partnerId) return [FleetRigRemoved.of(data)];
      return reject('rig_not_in_fleet', `rig ${data.rig} is not in the fleet of the partner`);
  }
};

/** One rig: in the fleet of at most one partner. */
export const fleetDecider: Decider<FleetCommand, FleetState, FleetEvent> = {
  initialState: { partnerId: null },
  decide,
  evolve: (_, { type, data }) => ({
    partnerId: type === 'FleetRigAssigned' ? data.partnerId : null,
  }),
};
