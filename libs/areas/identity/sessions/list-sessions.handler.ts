import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type UserId } from '#events/vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { allDocuments } from '#platform/runtime/projections/all-documents.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { CLOCK, PROJECTIONS } from '#platform/runtime/tokens.js';
import {
  type ListedSession,
  sessionKey,
  sessions,
  sessionsOf,
} from '#projections/identity/sessions.projection.js';
import { AccountViews } from '../accounts/account-views.js';
import { PersonalData } from '../users/personal-data.js';

/** A session that is open. */
export interface SessionView extends Omit<ListedSession, 'sealedAppName' | 'sealedDeviceInfo'> {
  readonly appName: string | null;
  readonly deviceInfo: string | null;
}

export interface SessionsView {
  readonly sessions: readonly SessionView[];
  readonly position: bigint;
}

/**
 * The open sessions of a user, newest first.
 * @throws DomainError `user_not_found`
 */
export class ListSessionsQuery extends Query<SessionsView> {
  constructor(readonly userId: UserId) {
    super();
  }
}

@QueryHandler(ListSessionsQuery)
export class ListSessionsHandler implements IQueryHandler<ListSessionsQuery> {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Projections,
    private readonly views: AccountViews,
    private readonly personalData: PersonalData,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ userId }: ListSessionsQuery): Promise<SessionsView> {
    const { passwordChangedAt } = await this.views.userOf(userId);
    const range = { prefix: sessionsOf(userId), from: sessionKey(userId, instant(this.clock)) };
    const { documents, position } = await allDocuments(this.projections, sessions, range);
    const open = documents
      .map(({ document }) => document)
      .filter(({ startedAt }) => passwordChangedAt === null || startedAt >= passwordChangedAt)
      .sort((one, other) => (one.startedAt < other.startedAt ? 1 : -1));
    return { sessions: await Promise.all(open.map((one) => this.#view(userId, one))), position };
  }

  async #view(
    userId: UserId,
    { sealedAppName, sealedDeviceInfo, ...session }: ListedSession,
  ): Promise<SessionView> {
    const appName = await this.personalData.openIfAny(userId, 'app-name', sealedAppName);
    const deviceInfo = await this.personalData.openIfAny(userId, 'device-info', sealedDeviceInfo);
    return { ...session, appName, deviceInfo };
  }
}
