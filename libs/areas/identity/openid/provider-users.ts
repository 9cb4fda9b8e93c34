import { Inject, Injectable } from '@nestjs/common';
import { type Role } from '#events/identity/identity.vocabulary.js';
import { type UserId } from '#events/vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { Authenticator } from '../authentication/authenticator.js';
import { reject } from '../identity.errors.js';
import { IdentityStreams, userStream } from '../identity.streams.js';
import { type RegisteredUser } from '../users/user.decider.js';
import { type ProviderIdentity } from './provider-identity.js';
import { ProviderSubjects } from './provider-subjects.js';
import { TeamRules } from './team-rules.port.js';

/** The role of a user whose groups have no rule. */
const ROLE_WITHOUT_RULE: Role = 'renter';

/** Users who sign in by the provider: the rules decide their roles at each sign-in. */
@Injectable()
export class ProviderUsers {
  constructor(
    private readonly streams: IdentityStreams,
    private readonly subjects: ProviderSubjects,
    private readonly authenticator: Authenticator,
    private readonly teams: TeamRules,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Finds or registers the user, with the role and teams that the groups of the identity have now.
   * @throws DomainError `user_disabled`, `user_not_found`, `openid_taken`
   */
  async signIn(identity: ProviderIdentity, context: CommandContext): Promise<RegisteredUser> {
    const grant = await this.subjects.grantOf(identity);
    const role = grant?.role ?? ROLE_WITHOUT_RULE;
    const userId =
      (await this.subjects.userOf(identity)) ??
      (await this.subjects.register(identity, role, context));
    const user = await this.#withRole(userId, role, context);
    await this.teams.apply(userId, grant?.teams ?? [], context);
    this.authenticator.invalidate();
    return user;
  }

  async #withRole(userId: UserId, role: Role, context: CommandContext): Promise<RegisteredUser> {
    const data = { userId, role, changedAt: instant(this.clock) };
    const command = { type: 'ChangeRole', data } as const;
    const { state, events } = await this.streams.users.run(userStream(userId), command, context);
    if (events.length > 0) this.authenticator.invalidate();
    if (state.status !== 'registered') return reject('user_not_found', 'there is no such user');
    return state.disabled ? reject('user_disabled', 'an operator has disabled the user') : state;
  }
}
