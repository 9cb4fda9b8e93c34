import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { CLOCK, CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { apiKeyEvents } from '#events/identity/api-key.events.js';
import { type Grant, groupRuleEvents } from '#events/identity/group-rule.events.js';
import { type Role } from '#events/identity/identity.vocabulary.js';
import { type KeyPolicy } from '#events/identity/key-policy.vocabulary.js';
import { nameEvents } from '#events/identity/name.events.js';
import { sessionEvents } from '#events/identity/session.events.js';
import { userEvents } from '#events/identity/user.events.js';
import { teamEvents } from '#events/teams/team.events.js';
import { type Membership } from '#events/teams/team.vocabulary.js';
import { type UserId } from '#events/vocabulary.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type Decider } from '#platform/kernel/decider.js';
import { type DomainEvent } from '#platform/kernel/projection.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { type CodecOf, type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { membersAfter, NO_MEMBERS, type TeamMembers } from '#projections/teams/team-members.js';
import { growingCache } from '#platform/runtime/projections/growing-cache.js';
import { apiKeyDecider } from '../keys/api-key.decider.js';
import { type AppTokenClaims, AppTokens } from '../sessions/app-tokens.js';
import { accountIdOf, type Caller, type Credential } from './caller.js';
import { ChangeWatch } from './change-watch.js';
import { INFERENCE_ONLY } from '../keys/key-policy.js';
import { scopesOfTeamRole } from '../keys/team-scopes.js';
import { CREDENTIAL_LENGTH_MAX, CREDENTIAL_PREFIXES, fingerprint } from './credentials.js';
import { credentialOf } from './key-credential.js';
import { KnownCallers } from './known-callers.js';
import { IDENTITY_SETTINGS, type IdentitySettings } from '../identity.settings.js';
import {
  apiKeyStream,
  groupRulesStream,
  nameStream,
  sessionStream,
  userStream,
} from '../identity.streams.js';
import { nameDecider } from '../names/name.decider.js';
import { grantOf } from '../openid/group-rules.js';
import { groupRulesDecider, type GroupRulesState } from '../openid/group-rules.decider.js';
import { isProviderToken, type Machine, Machines } from '../openid/machines.js';
import { DEFAULT_TENANT } from '../tenants/tenant.decider.js';
import { sessionDecider } from '../sessions/session.decider.js';
import { userDecider } from '../users/user.decider.js';

/** For this long after a sign-in or a confirmation, a console session may write everything. */
export const CONFIRMED_SECONDS = 900;
const STATES_CACHED_MAX = 100_000;
const SIGNATURES_CACHED_MAX = 20_000;

/** The part of a stream's state that authentication needs. */
type CachedState =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'key';
      readonly credential: Credential;
      readonly userId: UserId;
      readonly expiresAtMs: number;
      readonly membership?: Membership;
    }
  | {
      readonly kind: 'session';
      readonly userId: UserId;
      readonly policy: KeyPolicy;
      readonly startedAt: string;
      readonly confirmedAtMs: number;
      readonly expiresAtMs: number;
    }
  | { readonly kind: 'user'; readonly role: Role; readonly passwordChangedAt: string | null }
  | { readonly kind: 'team'; readonly members: TeamMembers }
  | { readonly kind: 'subject'; readonly userId: UserId }
  | { readonly kind: 'rules'; readonly rules: GroupRulesState };

const MACHINE_WITHOUT_RULE: Grant = { role: 'renter', tokenScopes: [...INFERENCE_ONLY] };

const NONE: CachedState = { kind: 'none' };

/** The name of a stream that must be read first. */
type Missing = string;

/**
 * Resolves a credential to its caller. A credential is valid while its own stream, its session's,
 * its user's and its team's say so, and a session is not older than the password. The state of each
 * stream is cached until an event of any process changes it, so a cached credential costs a hash
 * and three look-ups, and a key of the last minute one look-up.
 */
@Injectable()
export class Authenticator {
  readonly #states = growingCache<CachedState>(STATES_CACHED_MAX);
  /** The claims of verified tokens of sessions, by fingerprint. */
  readonly #signatures = growingCache<AppTokenClaims>(SIGNATURES_CACHED_MAX);
  readonly #known = new KnownCallers();
  readonly #watch: ChangeWatch;
  #changes = 0;

  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    @Inject(CODEC) private readonly codec: EventCodec,
    private readonly appTokens: AppTokens,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDENTITY_SETTINGS)
    { credentialsFreshMs }: Pick<IdentitySettings, 'credentialsFreshMs'> = {},
    /** Null: no token of an OpenID provider is a credential. */
    @Optional() @Inject(Machines) private readonly machines: Machines | null = null,
  ) {
    const prefixes = ['user-', 'apikey-', 'session-', 'openid-', 'grouprules-', 'team-'];
    const forget = (stream: string | null): void => this.#forget(stream);
    this.#watch = new ChangeWatch(eventStore, prefixes, forget, credentialsFreshMs);
  }

  /**
   * Answers synchronously if everything is cached. Null for an unknown, malformed, expired or
   * revoked credential; the caller cannot distinguish these.
   * @throws EventStoreError when the log cannot be read; every credential is then rejected
   * @throws DomainError `subject_not_admitted` for a valid token of the OpenID provider
   * @throws OpenIdUnavailableError
   */
  authenticate(token: string): Caller | null | Promise<Caller | null> {
    if (isProviderToken(token)) return this.#machine(token);
    if (token.length > CREDENTIAL_LENGTH_MAX) return null;
    if (this.#watch.isFresh()) {
      const outcome = this.#resolve(token);
      if (typeof outcome !== 'string') return outcome;
    }
    return this.#authenticate(token);
  }

  /**
   * The caller of a token of a session, whose signature was verified before.
   * @throws EventStoreError
   */
  async callerOf(claims: AppTokenClaims): Promise<Caller | null> {
    await this.#watch.refresh();
    return this.#settle((read) => this.#resolveSession(claims, read));
  }

  /** Must be called after this process revokes a credential: the next answer reads the log. */
  invalidate(): void {
    this.#watch.invalidate();
  }

  async #authenticate(token: string): Promise<Caller | null> {
    await this.#watch.refresh();
    const cached = this.#resolve(token);
    if (typeof cached !== 'string') return cached;
    return this.#settle((read) => this.#resolve(token, read));
  }

  #machine(token: string): Caller | null | Promise<Caller | null> {
    const { machines } = this;
    if (!machines) return null;
    const known = machines.known(token);
    if (known && this.#watch.isFresh()) {
      const outcome = this.#resolveMachine(known);
      if (outcome !== null && typeof outcome !== 'string') return outcome;
    }
    return this.#authenticateMachine(machines, token);
  }

  async #authenticateMachine(machines: Machines, token: string): Promise<Caller | null> {
    const machine = await machines.verified(token);
    if (!machine) return null;
    if (await machines.admit(machine, contextOf(randomUUID(), 'anonymous'))) {
      this.#watch.invalidate();
    }
    await this.#watch.refresh();
    return this.#settle((read) => this.#resolveMachine(machine, read));
  }

  /** A machine has the rights that the rules give its groups; without a rule, inference. */
  #resolveMachine(
    { identity, subjectHash: id }: Machine,
    read?: ReadonlyMap<string, CachedState>,
  ): Caller | null | Missing {
    const [ofSubject, ofRules] = [nameStream('openid', id), groupRulesStream(DEFAULT_TENANT)];
    const subject = this.#find(ofSubject, read);
    if (!subject) return ofSubject;
    const rules = this.#find(ofRules, read);
    if (!rules) return ofRules;
    if (subject.kind !== 'subject' || rules.kind !== 'rules') return null;
    const { role, tokenScopes: scopes } = grantOf(rules.rules, identity) ?? MACHINE_WITHOUT_RULE;
    const policy = { scopes: [...scopes] };
    const caller = this.#caller(subject.userId, { kind: 'provider_token', id, policy }, read);
    return caller === null || typeof caller === 'string' ? caller : { ...caller, role };
  }

  /** Reads the missing streams one at a time until the credential resolves. */
  async #settle(
    resolve: (read: ReadonlyMap<string, CachedState>) => Caller | null | Missing,
  ): Promise<Caller | null> {
    const read = new Map<string, CachedState>();
    for (;;) {
      const outcome = resolve(read);
      if (typeof outcome !== 'string') return outcome;
      read.set(outcome, await this.#read(outcome));
    }
  }

  #resolve(token: string, read?: ReadonlyMap<string, CachedState>): Caller | null | Missing {
    const { user, renter, app, console: ofConsole } = CREDENTIAL_PREFIXES;
    if (token.startsWith(user) || token.startsWith(renter)) {
      return this.#known.find(token, this.clock.now()) ?? this.#resolveKey(token, read);
    }
    if (!token.startsWith(app) && !token.startsWith(ofConsole)) return null;
    const claims = this.#claimsOf(token);
    return claims && this.#resolveSession(claims, read);
  }

  #resolveKey(token: string, read?: ReadonlyMap<string, CachedState>): Caller | null | Missing {
    const stream = apiKeyStream(fingerprint(token));
    const key = this.#find(stream, read);
    if (!key) return stream;
    if (key.kind !== 'key' || key.expiresAtMs <= this.clock.now()) return null;
    const { credential, userId, membership, expiresAtMs } = key;
    if (credential.sessionId !== undefined) {
      const ended = this.#sessionEnded(credential.sessionId, userId, read);
      if (ended !== false) return ended;
    }
    const owner = this.#caller(userId, credential, read);
    if (owner === null || typeof owner === 'string') return owner;
    const caller = membership ? this.#inTeam(owner, membership, read) : owner;
    if (caller === null || typeof caller === 'string') return caller;
    // Not with a state that was read aside, which may be stale, nor where a session may expire.
    if (!read && credential.sessionId === undefined) {
      this.#known.keep(token, caller, expiresAtMs, this.clock.now());
    }
    return caller;
  }

  /** A key of a team is valid while its membership lasts, with the scopes of the role in it. */
  #inTeam(
    { userId, credential }: Caller,
    { teamId, memberId }: Membership,
    read?: ReadonlyMap<string, CachedState>,
  ): Caller | null | Missing {
    const team = this.#find(teamId, read);
    if (!team) return teamId;
    const member = team.kind === 'team' ? team.members.get(memberId) : undefined;
    if (member?.userId !== userId) return null;
    const allowed = scopesOfTeamRole(member.role);
    const scopes = credential.policy.scopes.filter((scope) => allowed.includes(scope));
    const bounded = { ...credential, policy: { ...credential.policy, scopes } };
    return { userId, accountId: teamId, member, role: 'renter', credential: bounded };
  }

  #resolveSession(
    { kind, userId, sessionId, expiresAtMs }: AppTokenClaims,
    read?: ReadonlyMap<string, CachedState>,
  ): Caller | null | Missing {
    if (expiresAtMs <= this.clock.now()) return null;
    const ended = this.#sessionEnded(sessionId, userId, read);
    if (ended !== false) return ended;
    const session = this.#find(sessionStream(sessionId), read);
    if (session?.kind !== 'session') return null;
    const { policy, confirmedAtMs } = session;
    const isConfirmed = this.clock.now() < confirmedAtMs + CONFIRMED_SECONDS * 1_000;
    const terms = { policy, sessionId, ...(kind === 'console_session' && { isConfirmed }) };
    return this.#caller(userId, { kind, id: sessionId, ...terms }, read);
  }

  /**
   * False while the session is active, null when it is not; a stream name if that must be read
   * first.
   */
  #sessionEnded(
    sessionId: string,
    userId: UserId,
    read?: ReadonlyMap<string, CachedState>,
  ): false | null | Missing {
    const stream = sessionStream(sessionId);
    const session = this.#find(stream, read);
    if (!session) return stream;
    if (session.kind !== 'session' || session.userId !== userId) return null;
    return session.expiresAtMs > this.clock.now() ? false : null;
  }

  #caller(
    userId: UserId,
    credential: Caller['credential'],
    read?: ReadonlyMap<string, CachedState>,
  ): Caller | null | Missing {
    const stream = userStream(userId);
    const user = this.#find(stream, read);
    if (!user) return stream;
    if (user.kind !== 'user' || this.#isOutdated(user.passwordChangedAt, credential, read)) {
      return null;
    }
    const role = credential.kind === 'renter_key' ? 'renter' : user.role;
    return { userId, accountId: accountIdOf(userId), role, credential };
  }

  /** Whether the credential is of a session from before the password changed. */
  #isOutdated(
    passwordChangedAt: string | null,
    { sessionId }: Caller['credential'],
    read?: ReadonlyMap<string, CachedState>,
  ): boolean {
    if (passwordChangedAt === null || sessionId === undefined) return false;
    const session = this.#find(sessionStream(sessionId), read);
    return session?.kind !== 'session' || session.startedAt < passwordChangedAt;
  }

  #claimsOf(token: string): AppTokenClaims | null {
    const id = fingerprint(token);
    const known = this.#signatures.get(id);
    if (known) return known;
    const claims = this.appTokens.read(token);
    if (claims) this.#signatures.set(id, claims);
    return claims;
  }

  #find(stream: string, read?: ReadonlyMap<string, CachedState>): CachedState | undefined {
    return read?.get(stream) ?? this.#states.get(stream);
  }

  async #read(stream: string): Promise<CachedState> {
    const before = this.#changes;
    const state = await this.#stateOf(stream);
    // Unknown credentials must not evict cached ones, and a state that was read during a change
    // may be stale.
    if (state.kind !== 'none' && before === this.#changes) {
      this.#states.set(stream, state);
    }
    return state;
  }

  async #stateOf(stream: string): Promise<CachedState> {
    switch (stream.slice(0, stream.indexOf('-'))) {
      case 'apikey': {
        const key = await this.#fold(stream, apiKeyDecider, this.codec.for(apiKeyEvents));
        if (key.status !== 'active') return NONE;
        const { userId, endsAt, membership } = key;
        const credential = credentialOf(key, stream.slice(apiKeyStream('').length));
        const ofTeam = membership && { membership };
        return { kind: 'key', credential, userId, expiresAtMs: msOf(endsAt), ...ofTeam };
      }
      case 'session': {
        const session = await this.#fold(stream, sessionDecider, this.codec.for(sessionEvents));
        if (session.status !== 'active') return NONE;
        const { userId, scopes, startedAt, confirmedAt, expiresAt } = session;
        const policy = { scopes: [...scopes] };
        const [confirmedAtMs, expiresAtMs] = [Date.parse(confirmedAt), msOf(expiresAt)];
        return { kind: 'session', userId, policy, startedAt, confirmedAtMs, expiresAtMs };
      }
      case 'openid': {
        const subject = await this.#fold(stream, nameDecider, this.codec.for(nameEvents));
        return subject.status === 'assigned' ? { kind: 'subject', userId: subject.userId } : NONE;
      }
      case 'team': {
        const ofTeam = { initialState: NO_MEMBERS, evolve: membersAfter };
        return {
          kind: 'team',
          members: await this.#fold(stream, ofTeam, this.codec.for(teamEvents)),
        };
      }
      case 'grouprules': {
        const codec = this.codec.for(groupRuleEvents);
        return { kind: 'rules', rules: await this.#fold(stream, groupRulesDecider, codec) };
      }
      default: {
        const user = await this.#fold(stream, userDecider, this.codec.for(userEvents));
        if (user.status !== 'registered' || user.disabled) return NONE;
        const { role, passwordChangedAt } = user;
        return { kind: 'user', role, passwordChangedAt };
      }
    }
  }

  async #fold<State, Event extends DomainEvent>(
    stream: string,
    { initialState, evolve }: Pick<Decider<never, State, Event>, 'initialState' | 'evolve'>,
    codec: CodecOf<Event>,
  ): Promise<State> {
    let state = initialState;
    for await (const page of this.eventStore.read(stream)) {
      for (const recorded of page) state = evolve(state, codec.revive(recorded));
    }
    return state;
  }

  #forget(stream: string | null): void {
    this.#changes += 1;
    this.#known.forgetAll();
    if (stream === null) this.#states.clear();
    else this.#states.delete(stream);
  }
}

const msOf = (expiresAt: string | null): number =>
  expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);
