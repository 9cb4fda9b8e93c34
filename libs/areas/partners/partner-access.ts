import { Inject, Injectable } from '@nestjs/common';
import { type Role } from '#events/identity/identity.vocabulary.js';
import { PartnerId } from '#events/partners/partner.vocabulary.js';
import { type UserId } from '#events/vocabulary.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import { partners } from '#projections/partners/partners.projection.js';
import { membershipStream, PartnerStreams } from './partner-streams.js';
import { reject } from './partners.errors.js';

/** Who asks. */
export interface PartnerCaller {
  readonly userId: UserId;
  readonly role: Role;
}

/** Which partner a caller may see: an Admin every one, a manager only the one of the manager. */
@Injectable()
export class PartnerAccess {
  constructor(
    private readonly streams: PartnerStreams,
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'list'>,
  ) {}

  /**
   * For a read: an Admin who names no partner sees the first one.
   * @throws as `partnerOf`
   */
  async shownTo(caller: PartnerCaller, asked: number | undefined): Promise<PartnerId> {
    if (caller.role !== 'Admin' || asked !== undefined) return this.partnerOf(caller, asked);
    const [first] = await this.#firstTwo();
    return first ?? reject('partner_not_found', 'there is no partner yet');
  }

  /**
   * For a change: an Admin may leave out the name of the only partner.
   * @param asked the partner that the request names, if any
   * @throws DomainError `partner_required`, `partner_not_found`, `partner_not_assigned`
   */
  async partnerOf({ userId, role }: PartnerCaller, asked: number | undefined): Promise<PartnerId> {
    if (role === 'Admin') {
      if (asked === undefined) return this.#only();
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

  async #only(): Promise<PartnerId> {
    const [only, another] = await this.#firstTwo();
    if (only === undefined) return reject('partner_not_found', 'there is no partner yet');
    if (another === undefined) return only;
    return reject('partner_required', 'partner_id: there are several partners; name one of them');
  }

  async #firstTwo(): Promise<readonly PartnerId[]> {
    const { documents } = await this.projections.list(partners, { limit: 2 });
    return documents.flatMap(({ document: { profile } }) => profile?.partnerId ?? []);
  }
}
