import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { LRUCache } from 'lru-cache';
import { type Role } from '#events/identity/identity.vocabulary.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type Decider } from '#platform/kernel/decider.js';
import { type EventCodec } from '#platform/runtime/event-codec.js';
import { apiKeyDecider } from '../keys/api-key.decider.js';
import { type AppTokenClaims, AppTokens } from '../sessions/app-tokens.js';
import { accountIdOf, type Caller } from './caller.js';
import { ChangeWatch } from './change-watch.js';
import { CREDENTIAL_LENGTH_MAX, CREDENTIAL_PREFIXES, fingerprint } from './credentials.js';
import { IDENTITY_SETTINGS, type IdentitySettings } from '../identity.settings.js';
import { apiKeyStream, sessionStream, userStream } from '../identity.streams.js';
import { sessionDecider } from '../sessions/session.decider.js';
import { userDecider } from '../users/user.decider.js';

const STANDINGS_CACHED_MAX = 100_000;
const SIGNATURES_CACHED_MAX = 20_000;

/** What a stream comes to, as far as letting somebody in needs it. */
type Standing =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'key';
      readonly credential: 'api_key' | 'renter_key';
      readonly userId: number;
      readonly sessionId: string | null;
      readonly expiresAtMs: number;
    }
  | { readonly kind: 'session'; readonly userId: number; readonly expiresAtMs: number }
  | { readonly kind: 'user'; readonly role: Role };

const NONE: Standing = { kind: 'none' };

/** The name of a stream that has to be read before there is an answer. */
type Missing = string;

/**
 * Finds out who a credential belongs to. It counts while its own stream, its session's and its
 * user's all say so; each is read once and kept until the log shows a change of it, made by whatever
 * process. A credential that was seen before costs a hash and three look-ups.
 */
@Injectable()
export class Authenticator {
  readonly #standings = new LRUCache<string, Standing>({ max: STANDINGS_CACHED_MAX });
  /** App tokens whose signature was checked, by fingerprint. */
  readonly #signatures = new LRUCache<string, AppTokenClaims>({ max: SIGNATURES_CACHED_MAX });
  readonly #watch: ChangeWatch;
  #changes = 0;

  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    @Inject(CODEC) private readonly codec: EventCodec,
    private readonly appTokens: AppTokens,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDENTITY_SETTINGS)
    { credentialsFreshMs }: Pick<IdentitySettings, 'credentialsFreshMs'> = {},
  ) {
    const prefixes = ['user-', 'apikey-', 'session-'];
    const forget = (stream: string | null): void => this.#forget(stream);
    this.#watch = new ChangeWatch(eventStore, prefixes, forget, credentialsFreshMs);
  }

  /**
   * At once where everything is known, else promised. Null for whatever does not let anybody in:
   * unknown, malformed, expired and revoked are not told apart.
   * @throws EventStoreError when the log cannot be asked: then nobody is let in
   */
  authenticate(token: string): Caller | null | Promise<Caller | null> {
    if (token.length > CREDENTIAL_LENGTH_MAX) return null;
    if (this.#watch.isFresh()) {
      const verdict = this.#judge(token);
      if (typeof verdict !== 'string') return verdict;
    }
    return this.#authenticate(token);
  }

  /**
   * The caller of an app token whose signature somebody else has checked.
   * @throws EventStoreError
   */
  async callerOf(claims: AppTokenClaims): Promise<Caller | null> {
    await this.#watch.refresh();
    return this.#settle((read) => this.#judgeSession(claims, read));
  }

  /** To be called after this process has ended a credential: no answer may rest on what was known. */
  distrust(): void {
    this.#watch.distrust();
  }

  async #authenticate(token: string): Promise<Caller | null> {
    await this.#watch.refresh();
    return this.#settle((read) => this.#judge(token, read));
  }

  /** Reads what is missing, a stream at a time, until there is an answer. */
  async #settle(
    judge: (read: ReadonlyMap<string, Standing>) => Caller | null | Missing,
  ): Promise<Caller | null> {
    const read = new Map<string, Standing>();
    for (;;) {
      const verdict = judge(read);
      if (typeof verdict !== 'string') return verdict;
      read.set(verdict, await this.#read(verdict));
    }
  }

  #judge(token: string, read?: ReadonlyMap<string, Standing>): Caller | null | Missing {
    const { user, renter, app } = CREDENTIAL_PREFIXES;
    if (token.startsWith(user) || token.startsWith(renter)) {
      return this.#judgeKey(fingerprint(token), read);
    }
    if (!token.startsWith(app)) return null;
    const claims = this.#claimsOf(token);
    return claims && this.#judgeSession(claims, read);
  }

  #judgeKey(keyHash: string, read?: ReadonlyMap<string, Standing>): Caller | null | Missing {
    const stream = apiKeyStream(keyHash);
    const key = this.#find(stream, read);
    if (!key) return stream;
    if (key.kind !== 'key' || key.expiresAtMs <= this.clock.now()) return null;
    const { credential: kind, userId, sessionId } = key;
    if (sessionId === null) return this.#caller(userId, { kind, id: keyHash }, read);
    const ended = this.#sessionEnded(sessionId, userId, read);
    if (ended !== false) return ended;
    return this.#caller(userId, { kind, id: keyHash, sessionId }, read);
  }

  #judgeSession(
    { userId, sessionId }: AppTokenClaims,
    read?: ReadonlyMap<string, Standing>,
  ): Caller | null | Missing {
    const ended = this.#sessionEnded(sessionId, userId, read);
    if (ended !== false) return ended;
    return this.#caller(userId, { kind: 'app_token', id: sessionId, sessionId }, read);
  }

  /** False while it runs, null when it does not, and a name where that is not known. */
  #sessionEnded(
    sessionId: string,
    userId: number,
    read?: ReadonlyMap<string, Standing>,
  ): false | null | Missing {
    const stream = sessionStream(sessionId);
    const session = this.#find(stream, read);
    if (!session) return stream;
    if (session.kind !== 'session' || session.userId !== userId) return null;
    return session.expiresAtMs > this.clock.now() ? false : null;
  }

  #caller(
    userId: number,
    credential: Caller['credential'],
    read?: ReadonlyMap<string, Standing>,
  ): Caller | null | Missing {
    const stream = userStream(userId);
    const user = this.#find(stream, read);
    if (!user) return stream;
    if (user.kind !== 'user') return null;
    const role = credential.kind === 'renter_key' ? 'renter' : user.role;
    return { userId, accountId: accountIdOf(userId), role, credential };
  }

  #claimsOf(token: string): AppTokenClaims | null {
    const id = fingerprint(token);
    const known = this.#signatures.get(id);
    if (known) return known;
    const claims = this.appTokens.read(token);
    if (claims) this.#signatures.set(id, claims);
    return claims;
  }

  #find(stream: string, read?: ReadonlyMap<string, Standing>): Standing | undefined {
    return read?.get(stream) ?? this.#standings.get(stream);
  }

  async #read(stream: string): Promise<Standing> {
    const before = this.#changes;
    const standing = await this.#standingOf(stream);
    // Strangers' guesses must not push out what is known, and what was read while something
    // changed may be old already.
    if (standing.kind !== 'none' && before === this.#changes) {
      this.#standings.set(stream, standing);
    }
    return standing;
  }

  async #standingOf(stream: string): Promise<Standing> {
    switch (stream.slice(0, stream.indexOf('-'))) {
      case 'apikey': {
        const key = await this.#fold(stream, apiKeyDecider);
        if (key.status !== 'active') return NONE;
        const { keyKind, userId, sessionId, expiresAt } = key;
        const credential = keyKind === 'user' ? 'api_key' : 'renter_key';
        return { kind: 'key', credential, userId, sessionId, expiresAtMs: msOf(expiresAt) };
      }
      case 'session': {
        const session = await this.#fold(stream, sessionDecider);
        if (session.status !== 'active') return NONE;
        const { userId, expiresAt } = session;
        return { kind: 'session', userId, expiresAtMs: msOf(expiresAt) };
      }
      default: {
        const user = await this.#fold(stream, userDecider);
        return user.status === 'registered' ? { kind: 'user', role: user.role } : NONE;
      }
    }
  }

  async #fold<State, Event>(
    stream: string,
    { initialState, evolve }: Pick<Decider<never, State, Event>, 'initialState' | 'evolve'>,
  ): Promise<State> {
    let state = initialState;
    for await (const page of this.eventStore.read(stream)) {
      for (const recorded of page) state = evolve(state, this.codec.revive(recorded) as Event);
    }
    return state;
  }

  #forget(stream: string | null): void {
    this.#changes += 1;
    if (stream === null) this.#standings.clear();
    else this.#standings.delete(stream);
  }
}

const msOf = (expiresAt: string | null): number =>
  expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);
