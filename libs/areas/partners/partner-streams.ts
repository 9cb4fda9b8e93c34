import { Inject, Injectable } from '@nestjs/common';
import {
  type FleetEvent,
  fleetEvents,
  type MembershipEvent,
  membershipEvents,
  type PartnerEvent,
  type PartnerNumbered,
  partnerNumberEvents,
  partnerStreamEvents,
} from '#events/partners/partner.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { type FleetCommand, fleetDecider, type FleetState } from './fleet.decider.js';
import {
  type Membership,
  type MembershipCommand,
  membershipDecider,
} from './membership.decider.js';
import {
  type NumberPartner,
  type PartnerNumbers,
  partnerNumbersDecider,
} from './partner-numbers.decider.js';
import { type PartnerCommand, partnerDecider, type PartnerState } from './partner.decider.js';
import { reject } from './partners.errors.js';

export const NUMBERS_STREAM = 'partners-numbers';
export const partnerStream = (partnerId: number): string => `partner-${partnerId}`;
export const membershipStream = (userId: number): string => `membership-${userId}`;
export const fleetStream = (rig: string): string => `fleet-${rig}`;

/** Runs the commands of every stream of the area. */
@Injectable()
export class PartnerStreams {
  readonly numbers: CommandRunner<NumberPartner, PartnerNumbers, PartnerNumbered>;
  readonly partners: CommandRunner<PartnerCommand, PartnerState, PartnerEvent>;
  readonly memberships: CommandRunner<MembershipCommand, Membership, MembershipEvent>;
  readonly fleet: CommandRunner<FleetCommand, FleetState, FleetEvent>;

  constructor(@Inject(EVENT_STORE) eventStore: EventStore, @Inject(CODEC) codec: EventCodec) {
    this.numbers = new CommandRunner({
      decider: partnerNumbersDecider,
      eventStore,
      codec: codec.for(partnerNumberEvents),
    });
    this.partners = new CommandRunner({
      decider: partnerDecider,
      eventStore,
      codec: codec.for(partnerStreamEvents),
    });
    this.memberships = new CommandRunner({
      decider: membershipDecider,
      eventStore,
      codec: codec.for(membershipEvents),
    });
    this.fleet = new CommandRunner({
      decider: fleetDecider,
      eventStore,
      codec: codec.for(fleetEvents),
    });
  }

  /** @throws DomainError `partner_not_found` */
  async demandPartner(partnerId: number): Promise<void> {
    const { state } = await this.partners.stateOf(partnerStream(partnerId));
    if (!state) reject('partner_not_found', `there is no partner ${partnerId}`);
  }
}
