import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Scope } from '#events/identity/key-policy.vocabulary.js';
import { type UserId } from '#events/vocabulary.js';
import { type AccountView, AccountViews } from './account-views.js';
import { IdentityStreams, sessionStream } from '../identity.streams.js';
import { PersonalData } from '../users/personal-data.js';
import { reject } from '../identity.errors.js';

export interface AccountContext extends AccountView {
  readonly session: {
    readonly id: string;
    readonly appName: string | null;
    readonly deviceInfo: string | null;
    readonly scopes: readonly Scope[];
    /** ISO 8601 UTC. */
    readonly startedAt: string;
    readonly expiresAt: string;
  };
}

/** The user, the tenant and the session behind an app token. */
export class AccountContextQuery extends Query<AccountContext> {
  constructor(
    readonly userId: UserId,
    readonly sessionId: string,
  ) {
    super();
  }
}

@QueryHandler(AccountContextQuery)
export class AccountContextHandler implements IQueryHandler<AccountContextQuery> {
  constructor(
    private readonly streams: IdentityStreams,
    private readonly views: AccountViews,
    private readonly personalData: PersonalData,
  ) {}

  async execute({ userId, sessionId }: AccountContextQuery): Promise<AccountContext> {
    const { state } = await this.streams.sessions.stateOf(sessionStream(sessionId));
    if (state.status === 'absent' || state.userId !== userId) {
      return reject('session_not_found', 'there is no such session');
    }
    const { sealedAppName, sealedDeviceInfo, scopes, startedAt, expiresAt } = state;
    const view = await this.views.viewOf(await this.views.userOf(userId));
    const appName = await this.personalData.openIfAny(userId, 'app-name', sealedAppName);
    const deviceInfo = await this.personalData.openIfAny(userId, 'device-info', sealedDeviceInfo);
    const session = { id: sessionId, appName, deviceInfo, scopes, startedAt, expiresAt };
    return { ...view, session };
  }
}
