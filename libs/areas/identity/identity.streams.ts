import { Inject, Injectable } from '@nestjs/common';
import { type ApiKeyEvent, apiKeyEvents } from '#events/identity/api-key.events.js';
import { type ChallengeEvent, challengeEvents } from '#events/identity/challenge.events.js';
import { type GroupRuleEvent, groupRuleEvents } from '#events/identity/group-rule.events.js';
import { type NameEvent, nameEvents, type NameKind } from '#events/identity/name.events.js';
import { type SessionEvent, sessionEvents } from '#events/identity/session.events.js';
import { type TenantEvent, tenantEvents } from '#events/identity/tenant.events.js';
import { type UserEvent, userEvents } from '#events/identity/user.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type Decider } from '#platform/kernel/decider.js';
import { type DomainEvent } from '#platform/kernel/projection.js';
import { CommandRunner, type TypedCommand } from '#platform/runtime/commands/command-runner.js';
import { type CodecOf, type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { type ApiKeyCommand, apiKeyDecider, type ApiKeyState } from './keys/api-key.decider.js';
import {
  type ChallengeCommand,
  challengeDecider,
  type ChallengeState,
} from './two-factor/challenge.decider.js';
import {
  type GroupRuleCommand,
  groupRulesDecider,
  type GroupRulesState,
} from './openid/group-rules.decider.js';
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
export const groupRulesStream = (tenant: string): string => `grouprules-${tenant}`;
export const tenantStream = (slug: string): string => `tenant-${slug}`;

/** Runs the commands of every stream of the area. */
@Injectable()
export class IdentityStreams {
  readonly users: CommandRunner<UserCommand, UserState, UserEvent>;
  readonly names: CommandRunner<NameCommand, NameState, NameEvent>;
  readonly apiKeys: CommandRunner<ApiKeyCommand, ApiKeyState, ApiKeyEvent>;
  readonly sessions: CommandRunner<SessionCommand, SessionState, SessionEvent>;
  readonly challenges: CommandRunner<ChallengeCommand, ChallengeState, ChallengeEvent>;
  readonly groupRules: CommandRunner<GroupRuleCommand, GroupRulesState, GroupRuleEvent>;
  readonly tenants: CommandRunner<TenantCommand, TenantState, TenantEvent>;

  constructor(@Inject(EVENT_STORE) eventStore: EventStore, @Inject(CODEC) codec: EventCodec) {
    const runner = <Command extends TypedCommand, State, Event extends DomainEvent>(
      decider: Decider<Command, State, Event>,
      ofStream: CodecOf<Event>,
    ) => new CommandRunner({ decider, eventStore, codec: ofStream });
    this.users = runner(userDecider, codec.for(userEvents));
    this.names = runner(nameDecider, codec.for(nameEvents));
    this.apiKeys = runner(apiKeyDecider, codec.for(apiKeyEvents));
    this.sessions = runner(sessionDecider, codec.for(sessionEvents));
    this.challenges = runner(challengeDecider, codec.for(challengeEvents));
    this.groupRules = runner(groupRulesDecider, codec.for(groupRuleEvents));
    this.tenants = runner(tenantDecider, codec.for(tenantEvents));
  }
}
