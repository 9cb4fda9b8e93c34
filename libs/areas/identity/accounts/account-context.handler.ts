import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type AccountView, type AccountViews } from './account-views.js';
import { IDENTITY_STREAMS, type IdentityStreams, sessionStream } from '../identity.streams.js';
import { ACCOUNT_VIEWS, PERSONAL_DATA } from '../identity.tokens.js';
import { type PersonalData } from '../users/personal-data.js';
import { refuse } from '../refuse.js';

export interface AccountContext extends AccountView {
  readonly session: {
    readonly id: string;
    readonly appName: string | null;
    readonly deviceInfo: string | null;
    /** ISO 8601 UTC. */
    readonly startedAt: string;
    readonly expiresAt: string;
  };
}

/** The user, the tenant and the session behind an app token. */
export class AccountContextQuery extends Query<AccountContext> {
  constructor(
    readonly userId: number,
    readonly sessionId: string,
  ) {
    super();
  }
}

@QueryHandler(AccountContextQuery)
export class AccountContextHandler implements IQueryHandler<AccountContextQuery> {
  constructor(
    @Inject(IDENTITY_STREAMS) private readonly streams: IdentityStreams,
    @Inject(ACCOUNT_VIEWS) private readonly views: AccountViews,
    @Inject(PERSONAL_DATA) private readonly personalData: PersonalData,
  ) {}

  async execute({ userId, sessionId }: AccountContextQuery): Promise<AccountContext> {
    const { state } = await this.streams.sessions.stateOf(sessionStream(sessionId));
    if (state.status === 'absent' || state.userId !== userId) {
      return refuse('session_not_found', 'there is no such session');
    }
    const { sealedAppName, sealedDeviceInfo, startedAt, expiresAt } = state;
    const view = await this.views.viewOf(await this.views.userOf(userId));
    const appName = await this.personalData.openIfAny(userId, 'app-name', sealedAppName);
    const deviceInfo = await this.personalData.openIfAny(userId, 'device-info', sealedDeviceInfo);
    return { ...view, session: { id: sessionId, appName, deviceInfo, startedAt, expiresAt } };
  }
}
