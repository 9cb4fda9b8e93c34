import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { UserId } from '#events/vocabulary.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { type KeyPolicy } from '#events/identity/key-policy.vocabulary.js';
import { SESSION_SCOPES } from '../keys/key-policy.js';
import { AccountOfUserQuery } from '../accounts/account-of-user.handler.js';
import { fingerprint } from '../authentication/credentials.js';
import { CreateUserCommand } from './create-user.handler.js';
import { DefineTenantCommand } from '../tenants/define-tenant.handler.js';
import { EraseUserCommand } from './erase-user.handler.js';
import {
  ADA,
  anyContext,
  FIRST_ID,
  type IdentityProcess,
  LIMITED_LINE,
  openWorld,
} from '../identity-world.fixture.js';
import { nameStream } from '../identity.streams.js';
import { API_KEYS_MAX, IssueApiKeyCommand } from '../keys/issue-api-key.handler.js';
import { ListApiKeysQuery } from '../keys/list-api-keys.handler.js';
import { LogInCommand } from '../sessions/log-in.handler.js';
import { RevokeApiKeyCommand } from '../keys/revoke-api-key.handler.js';
import { RotateApiKeyCommand } from '../keys/rotate-api-key.handler.js';
import { RotateUserKeysCommand } from '../keys/rotate-user-keys.handler.js';

const BOB = { username: 'bob', email: 'bob@example.com' };
const TENANT = { name: 'Quipu', primaryColor: '#7a3e1d', baseUrl: 'http://127.0.0.1:8080' };

let world: Awaited<ReturnType<typeof openWorld>>;
let here: IdentityProcess;

beforeEach(async () => {
  world = await openWorld();
  here = await world.start();
});
afterEach(() => world.end());

const accountOf = (username: string, at = here) => at.ask(new AccountOfUserQuery(username));
const logIn = (username: string) => {
  const device = { appName: 'analytical engine', deviceInfo: null, scopes: SESSION_SCOPES };
  const data = { username, password: ADA.password, otpCode: null, ...device };
  return here.execute(new LogInCommand(data, anyContext()));
};
const AT_ONCE = { issuer: 'operator', overlapSeconds: 0 } as const;
const POLICY: KeyPolicy = { scopes: ['inference'] };
const unknownUser = { code: 'user_not_found' };
const keysOf = async (userId: UserId) => (await here.ask(new ListApiKeysQuery(userId))).keys;
const erase = (username: string) => here.execute(new EraseUserCommand({ username }, anyContext()));

describe('creating a user', () => {
  it('assigns ids in order, an account and two keys, and finds the user by name', async () => {
    const ada = await here.createUser();
    expect(ada).toMatchObject({ userId: 1, accountId: '1', generatedPassword: null });
    expect(ada.apiKey).toMatch(/^sk-svc-[A-Za-z0-9_-]{43}$/);
    expect(ada.renterKey).toMatch(/^svc_api_[A-Za-z0-9_-]{43}$/);
    expect((await here.createUser(BOB)).userId).toBe(2);
    expect(here.openedAccounts).toEqual(['1', '2']);
    expect(await accountOf('ADA')).toBe('1');
    await here.execute(new DefineTenantCommand(TENANT, anyContext()));
    expect(await logIn('ADA')).toMatchObject({
      session: { user: { id: 1, username: 'ada', email: 'ada@example.com', role: 'Partner' } },
    });
    await expect(accountOf('unknown')).rejects.toMatchObject(unknownUser);
    await expect(accountOf('ada@example.com')).rejects.toMatchObject(unknownUser);
  });

  it('generates a password when none is given', async () => {
    const { generatedPassword } = await here.createUser({ password: null });
    expect(generatedPassword).toMatch(/^[A-Za-z0-9_-]{24}$/);
  });

  it.each([
    ['invalid_username', { username: 'a b' }],
    ['invalid_username', { username: 'ab' }],
    ['invalid_email', { email: 'ada' }],
    ['invalid_role', { role: 'admin' }],
    ['invalid_password', { password: 'short' }],
    ['invalid_username', { username: '', email: '', role: '', password: '' }],
    ['invalid_email', { email: '', role: '', password: '' }],
    ['invalid_role', { role: '', password: '' }],
  ])('fails with %s: %j', async (code, data) => {
    await expect(here.createUser(data)).rejects.toMatchObject({ code });
  });

  it('keeps names unique and case-insensitive, the username before the email', async () => {
    await here.createUser();
    await expect(here.createUser({ username: 'Ada', email: BOB.email })).rejects.toMatchObject({
      code: 'username_taken',
    });
    await expect(
      here.createUser({ username: 'bob', email: 'ADA@example.com' }),
    ).rejects.toMatchObject({ code: 'email_taken' });
    await expect(here.createUser()).rejects.toMatchObject({ code: 'username_taken' });
    // The username of the rejected registration is free again.
    expect((await here.createUser(BOB)).userId).toBe(2);
  });

  it('assigns a name to one of several registrations, and unique ids', async () => {
    const there = await world.start();
    const same = [here, there, here, there].map((process) => process.createUser());
    const settled = await Promise.allSettled(same);
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const others = await Promise.all(
      [here, there, here, there].map((process, index) =>
        process.createUser({ username: `user-${index}`, email: `${index}@example.com` }),
      ),
    );
    expect(new Set(others.map(({ userId }) => userId)).size).toBe(4);
  });

  it('frees the names of an interrupted registration when they expire', async () => {
    const { names, streams, clock } = here;
    const nameHash = names.hashOf('username', 'ada');
    const data = {
      kind: 'username',
      nameHash,
      registrationId: '7b0c3a52-6a53-4c55-9d0f-0d3a5a3f8f01',
      reservedAt: new Date(clock.now()).toISOString(),
      reservedUntil: new Date(clock.now() + 60_000).toISOString(),
    } as const;
    const stream = nameStream('username', nameHash);
    await streams.names.run(stream, { type: 'ReserveName', data }, anyContext());
    await expect(here.createUser()).rejects.toMatchObject({ code: 'username_taken' });
    clock.atMs += 60_001;
    expect((await here.createUser()).userId).toBe(1);
  });

  it('does not repeat a completed request', async () => {
    const command = new CreateUserCommand(ADA, anyContext());
    await here.execute(command);
    await expect(here.execute(command)).rejects.toMatchObject({
      code: 'username_taken',
    });
  });
});

describe('keys', () => {
  it('are issued, listed and revoked immediately', async () => {
    await here.createUser();
    const issue = new IssueApiKeyCommand(
      { userId: FIRST_ID, keyKind: 'user', name: 'nightly', issuer: 'operator' },
      anyContext(),
    );
    const { id, secret } = await here.execute(issue);
    expect(await here.authenticator.authenticate(secret)).toMatchObject({ userId: 1 });
    expect(await keysOf(FIRST_ID)).toContainEqual(expect.objectContaining({ id, name: 'nightly' }));
    const revoke = new RevokeApiKeyCommand({ owner: FIRST_ID, keyId: id }, anyContext());
    await here.execute(revoke);
    expect(await here.authenticator.authenticate(secret)).toBeNull();
    expect((await keysOf(FIRST_ID)).map(({ name }) => name).sort()).toEqual(['default', 'renter']);
    await expect(here.execute(revoke)).rejects.toMatchObject({
      code: 'api_key_not_found',
    });
  });

  it('with a budget issue no other key, and replace only themselves', async () => {
    await here.createUser();
    const context = contextOf(randomUUID(), 'spec', { key: LIMITED_LINE });
    const data = { userId: FIRST_ID, keyKind: 'user', name: 'wider', issuer: 'operator' } as const;
    const limited = { code: 'api_key_limited' };
    await expect(here.execute(new IssueApiKeyCommand(data, context))).rejects.toMatchObject(
      limited,
    );
    const other = (await keysOf(FIRST_ID)).find(({ name }) => name === 'default')?.id ?? '';
    const rotate = (key: string) =>
      here.execute(
        new RotateApiKeyCommand(
          { userId: FIRST_ID, keyId: other, ...AT_ONCE },
          contextOf(randomUUID(), 'spec', { key }),
        ),
      );
    await expect(rotate(LIMITED_LINE)).rejects.toMatchObject(limited);
    expect(await rotate(other)).toMatchObject({ name: 'default' });
    expect(await keysOf(FIRST_ID)).toHaveLength(2);
  });

  it('cannot be revoked by another user', async () => {
    await here.createUser();
    await here.createUser(BOB);
    const [key] = await keysOf(FIRST_ID);
    const revoke = new RevokeApiKeyCommand(
      { owner: UserId.parse(2), keyId: key?.id ?? '' },
      anyContext(),
    );
    await expect(here.execute(revoke)).rejects.toMatchObject({
      code: 'api_key_not_found',
    });
  });

  it('are rotated once: one of two concurrent rotations gets the successor', async () => {
    const { apiKey } = await here.createUser();
    const old = (await keysOf(FIRST_ID)).find(({ name }) => name === 'default');
    const rotate = () =>
      here.execute(
        new RotateApiKeyCommand(
          { userId: FIRST_ID, keyId: old?.id ?? '', ...AT_ONCE },
          anyContext(),
        ),
      );
    const rotated = await Promise.allSettled([rotate(), rotate()]);
    const successors = rotated.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(successors).toHaveLength(1);
    expect(await here.authenticator.authenticate(apiKey)).toBeNull();
    const secret = successors[0]?.secret ?? '';
    expect(await here.authenticator.authenticate(secret)).toMatchObject({ userId: 1 });
    expect(await keysOf(FIRST_ID)).toHaveLength(2);
  });

  it('are issued once by a request, however often it is attempted', async () => {
    await here.createUser();
    const context = anyContext();
    const data = {
      userId: FIRST_ID,
      keyKind: 'user',
      name: 'nightly',
      issuer: 'operator',
    } as const;
    const first = await here.execute(new IssueApiKeyCommand(data, context));
    here.clock.atMs += 60_000;
    const there = await world.start(here.clock);
    expect(await there.execute(new IssueApiKeyCommand(data, context))).toEqual(first);
    expect(await keysOf(FIRST_ID)).toHaveLength(3);
    const { issuer: _, ...same } = data;
    const key = { ...same, policy: POLICY, sessionId: null, expiresAt: null, replaces: null };
    expect((await there.keyRing.issueOnce(key, context)).secret).toBe(first.secret);
    const other = await here.execute(new IssueApiKeyCommand(data, anyContext()));
    expect(other.secret).not.toBe(first.secret);
  });

  it('are rotated once by a request, however often it is attempted', async () => {
    await here.createUser();
    const context = anyContext();
    const old = (await keysOf(FIRST_ID)).find(({ name }) => name === 'default');
    const rotate = () =>
      here.execute(
        new RotateApiKeyCommand({ userId: FIRST_ID, keyId: old?.id ?? '', ...AT_ONCE }, context),
      );
    const first = await rotate();
    here.clock.atMs += 60_000;
    expect(await rotate()).toEqual(first);
    expect(await keysOf(FIRST_ID)).toHaveLength(2);
  });

  it('are rotated to the end by the attempt after one that was lost halfway', async () => {
    const { apiKey } = await here.createUser();
    const context = anyContext();
    const old = (await keysOf(FIRST_ID)).find(({ name }) => name === 'default');
    const replaces = fingerprint(apiKey);
    const key = { userId: FIRST_ID, keyKind: 'user', name: 'default', policy: POLICY } as const;
    const { secret } = await here.keyRing.issueOnce(
      { ...key, sessionId: null, expiresAt: null, replaces },
      context,
    );
    expect(await here.authenticator.authenticate(apiKey)).not.toBeNull();
    const rotate = new RotateApiKeyCommand(
      { userId: FIRST_ID, keyId: old?.id ?? '', ...AT_ONCE },
      context,
    );
    expect((await here.execute(rotate)).secret).toBe(secret);
    expect(await here.authenticator.authenticate(apiKey)).toBeNull();
    expect(await here.authenticator.authenticate(secret)).toMatchObject({ userId: 1 });
  });

  it('are rotated by an operator for a user, of one kind', async () => {
    const { apiKey, renterKey } = await here.createUser();
    const rotate = new RotateUserKeysCommand({ username: 'ada', keyKind: 'user' }, anyContext());
    const { secret, keysRevoked } = await here.execute(rotate);
    expect(keysRevoked).toBe(1);
    expect(await here.authenticator.authenticate(apiKey)).toBeNull();
    expect(await here.authenticator.authenticate(renterKey)).not.toBeNull();
    expect(await here.authenticator.authenticate(secret)).not.toBeNull();
  });

  it(`are at most ${API_KEYS_MAX}`, async () => {
    await here.createUser();
    const issue = () =>
      here.execute(
        new IssueApiKeyCommand(
          { userId: FIRST_ID, keyKind: 'user', name: 'more', issuer: 'operator' },
          anyContext(),
        ),
      );
    for (let held = 2; held < API_KEYS_MAX; held += 1) await issue();
    await expect(issue()).rejects.toMatchObject({ code: 'too_many_api_keys' });
  });
});

describe('erasing a user', () => {
  const SECRET_WORDS = ['lovelace', 'ada@example.com', 'analytical engine', 'correct horse'];

  const filesHolding = async (word: string): Promise<readonly string[]> => {
    const names = await readdir(world.directory, { recursive: true, withFileTypes: true });
    const files = names.filter((entry) => entry.isFile());
    const holding = [];
    for (const { parentPath, name } of files) {
      const bytes = await readFile(path.join(parentPath, name));
      if (bytes.includes(word)) holding.push(name);
    }
    return holding;
  };

  beforeEach(async () => {
    await here.execute(new DefineTenantCommand(TENANT, anyContext()));
    await here.createUser({ username: 'lovelace' });
    await logIn('lovelace');
  });

  it('never writes personal data in plain text, in the log or in read models', async () => {
    await keysOf(FIRST_ID);
    await accountOf('lovelace');
    for (const word of SECRET_WORDS) expect(await filesHolding(word)).toEqual([]);
  });

  it('leaves no data that can be decrypted, in any process, and frees the names', async () => {
    const there = await world.start(here.clock);
    expect(await accountOf('lovelace', there)).toBe('1');
    const { state } = await there.streams.users.stateOf('user-1');
    if (state.status !== 'registered') throw new Error('expected a user');
    const { sealedUsername, sealedEmail, sealedPasswordHash } = state;
    expect(await erase('lovelace')).toEqual({ userId: FIRST_ID, keysRevoked: 3 });
    expect(await there.personalData.open(FIRST_ID, 'username', sealedUsername)).toBeNull();
    expect(await there.personalData.open(FIRST_ID, 'email', sealedEmail)).toBeNull();
    expect(await there.personalData.open(FIRST_ID, 'password-hash', sealedPasswordHash)).toBeNull();
    await expect(there.personalData.seal(FIRST_ID, 'username', 'lovelace')).rejects.toThrow(
      'erased',
    );
    await expect(accountOf('lovelace', there)).rejects.toMatchObject(unknownUser);
    expect(await keysOf(FIRST_ID)).toEqual([]);
    expect((await there.createUser({ username: 'lovelace' })).userId).toBe(2);
    await expect(erase('unknown')).rejects.toMatchObject({ code: 'user_not_found' });
  });

  it('resumes where it was interrupted', async () => {
    const erasure = {
      type: 'EraseUser',
      data: { userId: FIRST_ID, reason: 'requested', erasedAt: new Date(0).toISOString() },
    } as const;
    await here.streams.users.run('user-1', erasure, anyContext());
    await expect(accountOf('lovelace')).rejects.toMatchObject(unknownUser);
    expect(await erase('lovelace')).toEqual({ userId: FIRST_ID, keysRevoked: 3 });
    await expect(erase('lovelace')).rejects.toMatchObject({ code: 'user_not_found' });
  });
});
