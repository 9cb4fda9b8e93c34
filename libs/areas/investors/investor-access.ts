import { Injectable } from '@nestjs/common';
import { type Role } from '#events/identity/identity.vocabulary.js';
import { UserId } from '#events/vocabulary.js';
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
  constructor(private readonly users: InvestorUsers) {}

  /**
   * @param asked the investor that the request names, if any
   * @throws DomainError `investor_required`, `investor_not_found`
   */
  async investorOf({ userId, role }: InvestorCaller, asked: number | undefined): Promise<UserId> {
    if (role === 'Admin') {
      return asked === undefined
        ? reject('investor_required', 'investor_id: an Admin names the investor')
        : this.demandInvestor(UserId.parse(asked));
    }
    return asked === undefined || asked === userId ? userId : notFound(asked);
  }

  /** @throws DomainError `investor_not_found` */
  async demandInvestor(userId: UserId): Promise<UserId> {
    return (await this.users.roleOf(userId)) === 'Investor' ? userId : notFound(userId);
  }
}

const notFound = (userId: number): never =>
  reject('investor_not_found', `there is no investor ${userId}`);
