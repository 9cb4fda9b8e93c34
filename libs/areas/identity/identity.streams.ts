import { type ApiKeyEvent, apiKeyEvents } from '#events/identity/api-key.events.js';
import { type ChallengeEvent, challengeEvents } from '#events/identity/challenge.events.js';
import { type NameEvent, nameEvents, type NameKind } from '#events/identity/name.events.js';
import { type SessionEvent, sessionEvents } from '#events/identity/session.events.js';
import { type TenantEvent, tenantEvents } from '#events/identity/tenant.events.js';
import { type UserEvent, userEvents } from '#events/identity/user.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { CommandRunner } from '#platform/runtime/command-runner.js';
import { type EventCodec } from '#platform/runtime/event-codec.js';
import { type ApiKeyCommand, apiKeyDecider, type ApiKeyState } from './api-key.decider.js';
import {
  type ChallengeCommand,
  challengeDecider,
  type ChallengeState,
} from './challenge.decider.js';
import { type NameCommand, nameDecider, type NameState } from './name.decider.js';
import { type SessionCommand, sessionDecider, type SessionState } from './session.decider.js';
import { type TenantCommand, tenantDecider, type TenantState } from './tenant.decider.js';
import { type UserCommand, userDecider, type UserState } from './user.decider.js';

export const userStream = (userId: number): string => `user-${userId}`;
export const nameStream = (kind: NameKind, nameHash: string): string => `${kind}-${nameHash}`;
export const apiKeyStream = (keyHash: string): string => `apikey-${keyHash}`;
export const sessionStream = (sessionId: string): string => `session-${sessionId}`;
export const challengeStream = (challengeHash: string): string => `challenge-${challengeHash}`;
export const tenantStream = (slug: string): string => `tenant-${slug}`;

/** Runs the commands of every stream of the area; one per process. */
export interface IdentityStreams {
  readonly users: CommandRunner<UserCommand, UserState, UserEvent>;
  readonly names: CommandRunner<NameCommand, NameState, NameEvent>;
  readonly apiKeys: CommandRunner<ApiKeyCommand, ApiKeyState, ApiKeyEvent>;
  readonly sessions: CommandRunner<SessionCommand, SessionState, SessionEvent>;
  readonly challenges: CommandRunner<ChallengeCommand, ChallengeState, ChallengeEvent>;
  readonly tenants: CommandRunner<TenantCommand, TenantState, TenantEvent>;
}
export const IDENTITY_STREAMS = Symbol('IdentityStreams');

export const openIdentityStreams = (
  eventStore: EventStore,
  codec: EventCodec,
): IdentityStreams => ({
  users: new CommandRunner({ decider: userDecider, eventStore, codec: codec.for(userEvents) }),
  names: new CommandRunner({ decider: nameDecider, eventStore, codec: codec.for(nameEvents) }),
  apiKeys: new CommandRunner({
    decider: apiKeyDecider,
    eventStore,
    codec: codec.for(apiKeyEvents),
  }),
  sessions: new CommandRunner({
    decider: sessionDecider,
    eventStore,
    codec: codec.for(sessionEvents),
  }),
  challenges: new CommandRunner({
    decider: challengeDecider,
    eventStore,
    codec: codec.for(challengeEvents),
  }),
  tenants: new CommandRunner({
    decider: tenantDecider,
    eventStore,
    codec: codec.for(tenantEvents),
  }),
});
