import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  MemberJoined,
  MemberRemoved,
  MemberRoleChanged,
  type TeamEvent,
  teamEvents,
} from '#events/teams/team.events.js';
import { teamIdOf } from '#events/teams/team.vocabulary.js';
import { UserId } from '#events/vocabulary.js';
import { EventCodec } from '#platform/runtime/commands/event-codec.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { Authenticator } from './authenticator.js';
import { type KeyPolicy, type Scope } from '#events/identity/key-policy.vocabulary.js';
import { type Caller } from './caller.js';
import { fingerprint, keyIdOf } from './credentials.js';
import {
  anyContext,
  FIRST_ID,
  type IdentityProcess,
  openWorld,
} from '../identity-world.fixture.js';
import { apiKeyStream, sessionStream, userStream } from '../identity.streams.js';
import { FRESH_MS } from './change-watch.js';

const AT = '2026-11-21T05:00:00.000Z';
const SESSION = '7b0c3a52-6a53-4c55-9d0f-0d3a5a3f8f01';
const IN_AN_HOUR_MS = 3_600_000;

let world: Awaited<ReturnType<typeof openWorld>>;
let here: IdentityProcess;

beforeEach(async () => {
  world = await openWorld();
  here = await world.start();
});
afterEach(() => world.end());

/** By the clock that the authenticator uses: a timer may fire early. */
const untilStale = async (): Promise<void> => {
  const staleAt = performance.now() + FRESH_MS;
  while (performance.now() <= staleAt) await new Promise((resolve) => setTimeout(resolve, 1));
};

const revokeKey = ({ streams }: IdentityProcess, secret: string, userId = FIRST_ID) => {
  const keyHash = fingerprint(secret);
  const data = { keyHash, userId, reason: 'revoked', revokedAt: AT } as const;
  return streams.apiKeys.run(apiKeyStream(keyHash), { type: 'RevokeApiKey', data }, anyContext());
};

const startSession = async (process: IdentityProcess, userId = FIRST_ID) => {
  const expiresAtMs = process.clock.now() + IN_AN_HOUR_MS;
  const expiresAt = new Date(expiresAtMs).toISOString();
  const scopes: Scope[] = ['inference', 'read_billing'];
  const key = {
    userId,
    keyKind: 'user' as const,
    name: 'app',
    policy: { scopes },
    sessionId: SESSION,
    expiresAt,
    replaces: null,
  };
  const { secret, keyHash } = await process.keyRing.issue(key, anyContext());
  const data = {
    sessionId: SESSION,
    userId,
    keyHash,
    sealedAppName: null,
    sealedDeviceInfo: null,
    scopes,
    secondFactor: 'none' as const,
    startedAt: AT,
    expiresAt,
  };
  await process.streams.sessions.run(
    sessionStream(SESSION),
    { type: 'StartSession', data },
    anyContext(),
  );
  return { secret, token: process.appTokens.sign({ userId, sessionId: SESSION }, expiresAtMs) };
};

const POLICY: KeyPolicy = { scopes: ['inference'] };

const idOf = (secret: string): string => keyIdOf(fingerprint(secret));

/** Often enough that the caller is known by the key alone. */
const admitOften = async ({ authenticator }: IdentityProcess, secret: string): Promise<void> => {
  for (let time = 1; time <= 3; time += 1) {
    expect(await authenticator.authenticate(secret)).not.toBeNull();
  }
};

describe('Authenticator', () => {
  it('admits both keys of a new user, the renter key as a renter', async () => {
    const { apiKey, renterKey } = await here.createUser();
    const caller: Caller = {
      userId: FIRST_ID,
      accountId: '1',
      role: 'Partner',
      credential: { kind: 'api_key', id: fingerprint(apiKey), keyId: idOf(apiKey), policy: POLICY },
    };
    expect(await here.authenticator.authenticate(apiKey)).toEqual(caller);
    expect(await here.authenticator.authenticate(renterKey)).toEqual({
      ...caller,
      role: 'renter',
      credential: {
        kind: 'renter_key',
        id: fingerprint(renterKey),
        keyId: idOf(renterKey),
        policy: POLICY,
      },
    });
  });

  it('counts a key that replaces another one under the id of the first', async () => {
    const { apiKey } = await here.createUser();
    let replaces = fingerprint(apiKey);
    for (let rotation = 1; rotation <= 2; rotation += 1) {
      const key = { userId: FIRST_ID, keyKind: 'user', name: 'app', policy: POLICY } as const;
      const rest = { sessionId: null, expiresAt: null, replaces };
      const { secret, keyHash } = await here.keyRing.issue({ ...key, ...rest }, anyContext());
      const caller = await here.authenticator.authenticate(secret);
      expect(caller?.credential).toMatchObject({ id: keyHash, keyId: idOf(apiKey) });
      replaces = keyHash;
    }
  });

  it('answers synchronously for a cached caller', async () => {
    const { apiKey } = await here.createUser();
    const { eventStore, codec, appTokens, clock } = here;
    const authenticator = new Authenticator(eventStore, codec, appTokens, clock, {
      credentialsFreshMs: 60_000,
    });
    const first = await authenticator.authenticate(apiKey);
    expect(authenticator.authenticate(apiKey)).toEqual(first);
  });

  it.each([
    ['an unknown key', 'sk-svc-unknown'],
    ['an unknown renter key', 'svc_api_unknown'],
    ['a challenge', 'svc_2fa_unknown'],
    ['no prefix', 'unknown'],
    ['a malformed app token', 'svc_app_a.b.c'],
    ['something endless', `sk-svc-${'a'.repeat(5_000)}`],
  ])('rejects %s', async (_, token) => {
    expect(await here.authenticator.authenticate(token)).toBeNull();
  });

  it('rejects a key under the prefix of another kind', async () => {
    const { apiKey } = await here.createUser();
    const disguised = apiKey.replace('sk-svc-', 'svc_api_');
    expect(await here.authenticator.authenticate(disguised)).toBeNull();
  });

  it('rejects a key within FRESH_MS of its revocation by another process', async () => {
    const { apiKey } = await here.createUser();
    const there = await world.start();
    await admitOften(here, apiKey);
    await revokeKey(there, apiKey);
    await untilStale();
    expect(await here.authenticator.authenticate(apiKey)).toBeNull();
  });

  it('rejects a key that another process revoked, also after a commit of this one', async () => {
    const { apiKey } = await here.createUser();
    const there = await world.start();
    await admitOften(here, apiKey);
    await revokeKey(there, apiKey);
    await untilStale();
    await here.createUser({ username: 'bob', email: 'bob@example.com' });
    expect(await here.authenticator.authenticate(apiKey)).toBeNull();
  });

  it('rejects a key at once after its revocation by this process', async () => {
    const { apiKey } = await here.createUser();
    await admitOften(here, apiKey);
    await revokeKey(here, apiKey);
    here.authenticator.invalidate();
    expect(await here.authenticator.authenticate(apiKey)).toBeNull();
  });

  it('notices a revocation after a long pause', async () => {
    const { apiKey } = await here.createUser();
    await here.authenticator.authenticate(apiKey);
    const there = await world.start();
    await revokeKey(there, apiKey);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect(await here.authenticator.authenticate(apiKey)).toBeNull();
  });

  it('never caches a state that changed during the read', async () => {
    const { apiKey } = await here.createUser();
    const there = await world.start();
    for (let round = 0; round < 20; round += 1) {
      const context = { ...anyContext() };
      const key = {
        userId: FIRST_ID,
        keyKind: 'user',
        name: `round ${round}`,
        policy: POLICY,
        sessionId: null,
        expiresAt: null,
        replaces: null,
      } as const;
      const { secret } = await there.keyRing.issue(key, context);
      const asked = Array.from({ length: 5 }, () => here.authenticator.authenticate(secret));
      await Promise.all([...asked, revokeKey(there, secret)]);
      await untilStale();
      expect(await here.authenticator.authenticate(secret)).toBeNull();
    }
    expect(await here.authenticator.authenticate(apiKey)).not.toBeNull();
  });

  it('keeps no state that another process changed after it was read', async () => {
    await here.createUser();
    const { eventStore, codec, appTokens, clock } = here;
    let isHeldBack = true;
    let keyWasRead = (): void => undefined;
    let goOn = (): void => undefined;
    const reading = new Promise<void>((resolve) => (keyWasRead = resolve));
    const mayGoOn = new Promise<void>((resolve) => (goOn = resolve));
    const slow: Pick<EventStore, 'head' | 'readAll' | 'read'> = {
      head: () => eventStore.head(),
      readAll: (options) => eventStore.readAll(options),
      read: async function* (stream) {
        const pages = await Array.fromAsync(eventStore.read(stream));
        if (isHeldBack && stream.startsWith('apikey-')) {
          isHeldBack = false;
          keyWasRead();
          await mayGoOn;
        }
        yield* pages;
      },
    };
    const always = { credentialsFreshMs: 0 };
    const authenticator = new Authenticator(slow as EventStore, codec, appTokens, clock, always);
    const { apiKey } = await here.createUser({ username: 'bob', email: 'bob@example.com' });
    const overtaken = authenticator.authenticate(apiKey);
    await reading;
    const there = await world.start();
    await revokeKey(there, apiKey, UserId.parse(2));
    // Another request notices the change while the first still has the old state.
    expect(await authenticator.authenticate('sk-svc-unknown')).toBeNull();
    goOn();
    await overtaken;
    expect(await authenticator.authenticate(apiKey)).toBeNull();
  });

  it('admits an app token and the key of its session until the session is revoked', async () => {
    await here.createUser();
    const { secret, token } = await startSession(here);
    const there = await world.start(here.clock);
    const credential = { kind: 'app_token', id: SESSION, sessionId: SESSION };
    expect(await there.authenticator.authenticate(token)).toMatchObject({ userId: 1, credential });
    expect(await there.authenticator.authenticate(secret)).toMatchObject({
      credential: { kind: 'api_key', sessionId: SESSION },
    });
    const data = { sessionId: SESSION, userId: FIRST_ID, revokedAt: AT };
    await here.streams.sessions.run(
      sessionStream(SESSION),
      { type: 'RevokeSession', data },
      anyContext(),
    );
    await untilStale();
    expect(await there.authenticator.authenticate(token)).toBeNull();
    expect(await there.authenticator.authenticate(secret)).toBeNull();
  });

  it('rejects a session and its key after they expire', async () => {
    await here.createUser();
    const { secret, token } = await startSession(here);
    await admitOften(here, token);
    await admitOften(here, secret);
    here.clock.atMs += IN_AN_HOUR_MS;
    expect(await here.authenticator.authenticate(token)).toBeNull();
    expect(await here.authenticator.authenticate(secret)).toBeNull();
  });

  it('rejects a token after it expires, while its session lasts', async () => {
    await here.createUser();
    const { token: lasting } = await startSession(here);
    const owner = { userId: FIRST_ID, sessionId: SESSION };
    const expiresAtMs = here.clock.now() + 60_000;
    const token = here.appTokens.sign(owner, expiresAtMs);
    const callers = () =>
      Promise.all([
        here.authenticator.authenticate(token),
        here.authenticator.callerOf({ ...owner, kind: 'app_token', expiresAtMs, csrfToken: null }),
      ]);
    here.clock.atMs += 59_999;
    expect(await callers()).toEqual([
      expect.objectContaining({ userId: FIRST_ID }),
      expect.objectContaining({ userId: FIRST_ID }),
    ]);
    here.clock.atMs += 1;
    expect(await callers()).toEqual([null, null]);
    expect(await here.authenticator.authenticate(lasting)).not.toBeNull();
  });

  it('rejects the token of a session for another user', async () => {
    await here.createUser();
    await here.createUser({ username: 'bob', email: 'bob@example.com' });
    await startSession(here);
    const expiresAtMs = here.clock.now() + IN_AN_HOUR_MS;
    const forged = here.appTokens.sign(
      { userId: UserId.parse(2), sessionId: SESSION },
      expiresAtMs,
    );
    expect(await here.authenticator.authenticate(forged)).toBeNull();
  });

  describe('of a key of a team', () => {
    const uuid = '019ac5d2-6a53-7c55-9d0f-0d3a5a3f8f01';
    const membership = { teamId: teamIdOf(uuid), memberId: uuid };
    const ofMember = { ...membership, userId: FIRST_ID };
    const codec = new EventCodec(teamEvents);
    let appended = 0;

    /** As the area of teams writes them. */
    const tell = async ({ eventStore }: IdentityProcess, event: TeamEvent): Promise<void> => {
      const ofTeam = codec.for(teamEvents);
      const { teamId } = membership;
      const stored = ofTeam.store(event, teamId, 'Tell', anyContext(), (appended += 1));
      await eventStore.append(teamId, [stored], 'any');
    };
    const joined = MemberJoined.of({
      ...ofMember,
      role: 'developer',
      source: 'invitation',
      joinedAt: AT,
    });

    const issueKey = async () => {
      const policy: KeyPolicy = { scopes: ['inference', 'read_billing'] };
      const key = { userId: FIRST_ID, keyKind: 'user', name: 'team', policy, membership } as const;
      const rest = { sessionId: null, expiresAt: null, replaces: null };
      return here.keyRing.issue({ ...key, ...rest }, anyContext());
    };

    it('acts for the team with the scopes of the role, until the membership ends', async () => {
      await here.createUser();
      await tell(here, joined);
      const { secret } = await issueKey();
      const caller = () => here.authenticator.authenticate(secret);
      const { accountId, member, role, credential } = (await caller()) ?? {};
      expect({ accountId, role, policy: credential?.policy }).toEqual({
        accountId: membership.teamId,
        role: 'renter',
        policy: { scopes: ['inference'] },
      });
      expect(member).toMatchObject({ role: 'developer', userId: FIRST_ID });
      await admitOften(here, secret);
      const there = await world.start();
      const changed = { ...ofMember, role: 'auditor', changedAt: AT } as const;
      await tell(there, MemberRoleChanged.of(changed));
      await untilStale();
      expect((await caller())?.credential.policy).toEqual({ scopes: ['read_billing'] });
      await tell(there, MemberRemoved.of({ ...ofMember, reason: 'removed', removedAt: AT }));
      await untilStale();
      expect(await caller()).toBeNull();
      const again = { ...joined.data, memberId: SESSION };
      await tell(there, MemberJoined.of(again));
      await untilStale();
      expect(await caller()).toBeNull();
    });

    it('is rejected where another user has the membership', async () => {
      await here.createUser();
      await tell(here, MemberJoined.of({ ...joined.data, userId: UserId.parse(2) }));
      const { secret } = await issueKey();
      expect(await here.authenticator.authenticate(secret)).toBeNull();
    });
  });

  it('rejects every credential of an erased user', async () => {
    const { apiKey, renterKey } = await here.createUser();
    const { token } = await startSession(here);
    for (const secret of [apiKey, renterKey, token]) await admitOften(here, secret);
    const there = await world.start();
    const data = { userId: FIRST_ID, reason: 'requested', erasedAt: AT } as const;
    await there.streams.users.run(userStream(1), { type: 'EraseUser', data }, anyContext());
    await untilStale();
    for (const secret of [apiKey, renterKey, token]) {
      expect(await here.authenticator.authenticate(secret)).toBeNull();
    }
  });

  it('rejects every credential when the log cannot be read', async () => {
    const { apiKey } = await here.createUser();
    await here.authenticator.authenticate(apiKey);
    await here.eventStore.close();
    await untilStale();
    await expect(async () => here.authenticator.authenticate(apiKey)).rejects.toThrow();
  });
});
