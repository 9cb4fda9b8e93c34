import { Inject, Injectable } from '@nestjs/common';
import { type Role } from '#events/identity/identity.vocabulary.js';
import { UserId } from '#events/vocabulary.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import { rigShares } from '#projections/investors/rig-shares.projection.js';
import { InvestorUsers } from './investor-users.port.js';
import { reject } from './investors.errors.js';

/** Who asks. */
export interface InvestorCaller {
  readonly userId: UserId;
  readonly role: Role;
}

/** Which investor a caller may see: an Admin every one, an investor itself. */
@Injectable()
export class InvestorAccess {
  constructor(
    private readonly users: InvestorUsers,
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'list'>,
  ) {}

  /**
   * @param asked the investor that the request names, if any
   * @returns for an Admin who names none: the first investor who holds or held a share
   * @throws DomainError `investor_not_found`
   */
  async investorOf({ userId, role }: InvestorCaller, asked: number | undefined): Promise<UserId> {
    if (role === 'Admin') {
      return asked === undefined ? this.#first() : this.demandInvestor(UserId.parse(asked));
    }
    return asked === undefined || asked === userId ? userId : notFound(asked);
  }

  async #first(): Promise<UserId> {
    const { documents } = await this.projections.list(rigShares, { limit: 1 });
    const [first] = documents.flatMap(({ document: { share } }) => share ?? []);
    if (first) return UserId.parse(first.allocated.investorId);
    return reject('investor_not_found', 'no investor holds a share yet; name one by investor_id');
  }

  /** @throws DomainError `investor_not_found` */
  async demandInvestor(userId: UserId): Promise<UserId> {
    return (await this.users.roleOf(userId)) === 'Investor' ? userId : notFound(userId);
  }
}

const notFound = (userId: number): never =>
  reject('investor_not_found', `there is no investor ${userId}`);
