import { Inject, Injectable } from '@nestjs/common';
import { CLOCK } from '#platform/runtime/tokens.js';
import { randomUUID } from 'node:crypto';
import { type Scope } from '#events/identity/key-policy.vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type AccountView, AccountViews } from '../accounts/account-views.js';
import { AppTokens } from './app-tokens.js';
import { IdentityStreams, sessionStream } from '../identity.streams.js';
import { reject } from '../identity.errors.js';
import { type AskedScopes, grantedScopes } from '../keys/key-policy.js';
import { KeyRing } from '../keys/key-ring.js';
import { PersonalData } from '../users/personal-data.js';
import { type AcceptedFactor } from '../two-factor/second-factor-check.js';
import { type UnreportedWrongCodes } from '../two-factor/wrong-codes.js';
import { type RegisteredUser } from '../users/user.decider.js';

/** Section 8 of the interface: 30 days. */
export const SESSION_SECONDS = 2_592_000;

/** A console session ends after this time, also when it is in use. */
export const CONSOLE_SESSION_SECONDS = 43_200;

/** The name of a session's key when the app gave no name. */
const UNNAMED_APP = 'app';

export interface AppClient {
  readonly appName: string | null;
  readonly deviceInfo: string | null;
  /** Of the session and its key. */
  readonly scopes: AskedScopes;
}

export interface OpenedSession extends AccountView {
  readonly sessionId: string;
  /** `svc_app_…` */
  readonly accessToken: string;
  /** `sk-svc-…`, created for this session and revoked with it; shown once. */
  readonly apiKey: string;
  /** ISO 8601 UTC. */
  readonly expiresAt: string;
  readonly scopes: readonly Scope[];
  /** Wrong codes since the last log-in, or null. */
  readonly wrongCodes: UnreportedWrongCodes | null;
}

/** Starts a session for an authenticated user. */
@Injectable()
export class SessionOpener {
  constructor(
    private readonly streams: IdentityStreams,
    private readonly personalData: PersonalData,
    private readonly keys: KeyRing,
    private readonly appTokens: AppTokens,
    private readonly views: AccountViews,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `user_disabled`, `scope_not_allowed` */
  async open(
    user: RegisteredUser,
    { appName, deviceInfo, ...client }: AppClient,
    { kind: secondFactor, wrongCodes }: AcceptedFactor,
    context: CommandContext,
  ): Promise<OpenedSession> {
    const { userId, disabled, role } = user;
    if (disabled) reject('user_disabled', 'an operator has disabled the user');
    const scopes = [...grantedScopes(client.scopes, role)];
    const view = await this.views.viewOf(user);
    const sessionId = randomUUID();
    const seconds = client.scopes === 'console' ? CONSOLE_SESSION_SECONDS : SESSION_SECONDS;
    const expiresAtMs = this.clock.now() + seconds * 1_000;
    const expiresAt = new Date(expiresAtMs).toISOString();
    const name = appName ?? UNNAMED_APP;
    // The key is invalid until its session has started.
    const key = { userId, keyKind: 'user', name, sessionId, expiresAt, replaces: null } as const;
    const policy = { scopes };
    const { secret: apiKey, keyHash } = await this.keys.issue({ ...key, policy }, context);
    const data = {
      sessionId,
      userId,
      keyHash,
      sealedAppName: await this.personalData.sealIfAny(userId, 'app-name', appName),
      sealedDeviceInfo: await this.personalData.sealIfAny(userId, 'device-info', deviceInfo),
      scopes,
      secondFactor,
      startedAt: instant(this.clock),
      expiresAt,
    };
    const stream = sessionStream(sessionId);
    await this.streams.sessions.run(stream, { type: 'StartSession', data }, context);
    const accessToken = this.appTokens.sign({ userId, sessionId }, expiresAtMs);
    return { ...view, sessionId, accessToken, apiKey, expiresAt, scopes, wrongCodes };
  }
}
