import { Injectable } from '@nestjs/common';
import { type Role } from '#events/identity/identity.vocabulary.js';
import { type UserId } from '#events/vocabulary.js';
import { BalanceReader } from './balance-reader.port.js';
import { accountIdOf } from '../authentication/caller.js';
import { IdentityStreams, tenantStream, userStream } from '../identity.streams.js';
import { PersonalData } from '../users/personal-data.js';
import { reject } from '../identity.errors.js';
import { type RegisteredUser } from '../users/user.decider.js';

/** A user's own view of the account. */
export interface AccountView {
  readonly user: {
    readonly id: UserId;
    readonly username: string;
    readonly email: string;
    readonly role: Role;
    readonly balanceMicroUsd: bigint;
    readonly twoFactorEnabled: boolean;
    readonly theme: string;
    readonly language: string;
  };
  readonly tenant: {
    readonly name: string;
    readonly primaryColor: string;
    readonly baseUrl: string;
  };
}

/** Builds the view that log-in and the account context return. */
@Injectable()
export class AccountViews {
  constructor(
    private readonly streams: IdentityStreams,
    private readonly personalData: PersonalData,
    private readonly balances: BalanceReader,
  ) {}

  /** @throws DomainError `user_not_found` */
  async userOf(userId: UserId): Promise<RegisteredUser> {
    const { state } = await this.streams.users.stateOf(userStream(userId));
    return state.status === 'registered'
      ? state
      : reject('user_not_found', 'there is no such user');
  }

  /** @throws DomainError `user_not_found` when the user was erased in the meantime */
  async viewOf(user: RegisteredUser): Promise<AccountView> {
    const { userId, role, theme, language } = user;
    const [balanceMicroUsd, { state: tenant }] = await Promise.all([
      this.balances.balanceMicroUsd(accountIdOf(userId)),
      this.streams.tenants.stateOf(tenantStream(user.tenant)),
    ]);
    if (!tenant) throw new Error(`the tenant ${user.tenant} was never defined`);
    const username = await this.personalData.open(userId, 'username', user.sealedUsername);
    const email = await this.personalData.open(userId, 'email', user.sealedEmail);
    if (username === null || email === null) {
      return reject('user_not_found', 'there is no such user');
    }
    const twoFactorEnabled = user.twoFactor.status === 'on';
    return {
      user: {
        id: userId,
        username,
        email,
        role,
        balanceMicroUsd,
        twoFactorEnabled,
        theme,
        language,
      },
      tenant,
    };
  }
}
