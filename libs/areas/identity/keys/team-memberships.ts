import { Inject, Injectable } from '@nestjs/common';
import { teamEvents } from '#events/teams/team.events.js';
import { type Member, type Membership } from '#events/teams/team.vocabulary.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { membersAfter, NO_MEMBERS } from '#projections/teams/team-members.js';

/** The members of teams, as the events of their streams say: identity learns them from the log. */
@Injectable()
export class TeamMemberships {
  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    @Inject(CODEC) private readonly codec: EventCodec,
  ) {}

  /** Undefined once the membership has ended. */
  async find({ teamId, memberId }: Membership): Promise<Member | undefined> {
    const codec = this.codec.for(teamEvents);
    let members = NO_MEMBERS;
    for await (const page of this.eventStore.read(teamId)) {
      for (const recorded of page) members = membersAfter(members, codec.revive(recorded));
    }
    return members.get(memberId);
  }
}
