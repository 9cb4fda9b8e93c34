import { Inject, Injectable } from '@nestjs/common';
import { type ApiKeyEvent } from '#events/identity/api-key.events.js';
import { type ChallengeEvent } from '#events/identity/challenge.events.js';
import { type NameEvent, type NameKind } from '#events/identity/name.events.js';
import { type SessionEvent } from '#events/identity/session.events.js';
import { type TenantEvent } from '#events/identity/tenant.events.js';
import { type UserEvent } from '#events/identity/user.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { CommandRunner } from '#platform/runtime/command-runner.js';
import { type EventCodec } from '#platform/runtime/event-codec.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { type ApiKeyCommand, apiKeyDecider, type ApiKeyState } from './keys/api-key.decider.js';
import {
  type ChallengeCommand,
  challengeDecider,
  type ChallengeState,
} from './two-factor/challenge.decider.js';
import { type NameCommand, nameDecider, type NameState } from './names/name.decider.js';
import {
  type SessionCommand,
  sessionDecider,
  type SessionState,
} from './sessions/session.decider.js';
import { type TenantCommand, tenantDecider, type TenantState } from './tenants/tenant.decider.js';
import { type UserCommand, userDecider, type UserState } from './users/user.decider.js';

export const userStream = (userId: number): string => `user-${userId}`;
export const nameStream = (kind: NameKind, nameHash: string): string => `${kind}-${nameHash}`;
export const apiKeyStream = (keyHash: string): string => `apikey-${keyHash}`;
export const sessionStream = (sessionId: string): string => `session-${sessionId}`;
export const challengeStream = (challengeHash: string): string => `challenge-${challengeHash}`;
export const tenantStream = (slug: string): string => `tenant-${slug}`;

/** Runs the commands of every stream of the area. */
@Injectable()
export class IdentityStreams {
  readonly users: CommandRunner<UserCommand, UserState, UserEvent>;
  readonly names: CommandRunner<NameCommand, NameState, NameEvent>;
  readonly apiKeys: CommandRunner<ApiKeyCommand, ApiKeyState, ApiKeyEvent>;
  readonly sessions: CommandRunner<SessionCommand, SessionState, SessionEvent>;
  readonly challenges: CommandRunner<ChallengeCommand, ChallengeState, ChallengeEvent>;
  readonly tenants: CommandRunner<TenantCommand, TenantState, TenantEvent>;

  constructor(@Inject(EVENT_STORE) eventStore: EventStore, @Inject(CODEC) codec: EventCodec) {
    this.users = new CommandRunner({ decider: userDecider, eventStore, codec });
    this.names = new CommandRunner({ decider: nameDecider, eventStore, codec });
    this.apiKeys = new CommandRunner({ decider: apiKeyDecider, eventStore, codec });
    this.sessions = new CommandRunner({ decider: sessionDecider, eventStore, codec });
    this.challenges = new CommandRunner({ decider: challengeDecider, eventStore, codec });
    this.tenants = new CommandRunner({ decider: tenantDecider, eventStore, codec });
  }
}
