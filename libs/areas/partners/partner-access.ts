import { Injectable } from '@nestjs/common';
import { type Role } from '#events/identity/identity.vocabulary.js';
import { PartnerId } from '#events/partners/partner.vocabulary.js';
import { type UserId } from '#events/vocabulary.js';
import { membershipStream, PartnerStreams } from './partner-streams.js';
import { reject } from './partners.errors.js';

/** Who asks. */
export interface PartnerCaller {
  readonly userId: UserId;
  readonly role: Role;
}

/** Which partner a caller may see: an Admin every one, a manager the own one. */
@Injectable()
export class PartnerAccess {
  constructor(private readonly streams: PartnerStreams) {}

  /**
   * @param asked the partner that the request names, if any
   * @throws DomainError `partner_required`, `partner_not_found`, `partner_not_assigned`
   */
  async partnerOf({ userId, role }: PartnerCaller, asked: number | undefined): Promise<PartnerId> {
    if (role === 'Admin') {
      if (asked === undefined) {
        return reject('partner_required', 'partner_id: an Admin names the partner');
      }
      await this.streams.demandPartner(asked);
      return PartnerId.parse(asked);
    }
    const { state } = await this.streams.memberships.stateOf(membershipStream(userId));
    const { member } = state;
    if (member?.capacity !== 'manager') {
      return reject('partner_not_assigned', 'the user manages no partner; an Admin can assign one');
    }
    return asked === undefined || asked === member.partnerId
      ? member.partnerId
      : reject('partner_not_found', `there is no partner ${asked}`);
  }
}
