import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type KeyPolicy, type Scope } from '#events/identity/key-policy.vocabulary.js';
import { type Caller } from '../authentication/caller.js';
import {
  anyContext,
  FIRST_ID,
  type IdentityProcess,
  openWorld,
} from '../identity-world.fixture.js';
import { IssueApiKeyCommand } from './issue-api-key.handler.js';
import { type KeyIssuer } from './key-bounds.js';
import { PolicyLists } from './key-policy.js';
import { ListApiKeysQuery } from './list-api-keys.handler.js';
import { RestrictApiKeyCommand } from './restrict-api-key.handler.js';
import { RotateApiKeyCommand } from './rotate-api-key.handler.js';

type DataToIssue = Partial<IssueApiKeyCommand['data']>;

const HOUR_MS = 3_600_000;

let world: Awaited<ReturnType<typeof openWorld>>;
let here: IdentityProcess;

beforeEach(async () => {
  world = await openWorld();
  here = await world.start();
  await here.createUser();
});
afterEach(() => world.end());

const issue = (issuer: KeyIssuer, policy: Partial<KeyPolicy> = {}, more: DataToIssue = {}) =>
  here.execute(
    new IssueApiKeyCommand(
      { userId: FIRST_ID, keyKind: 'user', name: 'one', policy, issuer, ...more },
      anyContext(),
    ),
  );

const callerOf = async (secret: string): Promise<Caller> => {
  const caller = await here.authenticator.authenticate(secret);
  if (!caller) throw new Error('expected a caller');
  return caller;
};

const MANAGER: Scope[] = ['inference', 'manage_keys'];

/** A key that manages keys, as the issuer of others. */
const manager = async (policy: Partial<KeyPolicy> = {}, more: DataToIssue = {}) => {
  const { id, secret } = await issue('operator', { scopes: MANAGER, ...policy }, more);
  const { credential } = await callerOf(secret);
  return { id, credential };
};

const inHours = (hours: number): string =>
  new Date(here.clock.atMs + hours * HOUR_MS).toISOString();

const tooWide = (field: string) => ({ code: 'policy_too_wide', metadata: { field } });

describe('a key that is issued', () => {
  it('has inference only unless more is asked, and the lists and end of its issuer', async () => {
    const lists = { models: ['quipu/*'], routes: ['/v1/*'], ipRanges: ['192.0.2.0/24'] };
    const { credential } = await manager(lists, { expiresAt: inHours(1) });
    const { policy, expiresAt } = await issue(credential);
    expect(policy).toEqual({ ...lists, scopes: ['inference'] });
    expect(expiresAt).toBe(inHours(1));
    const narrower = { models: ['quipu/nano'], routes: [], ipRanges: ['192.0.2.128/25'] };
    const end = { expiresAt: inHours(0.5) };
    expect(await issue(credential, narrower, end)).toMatchObject({ policy: narrower, ...end });
  });

  it.each<[string, Partial<KeyPolicy>]>([
    ['scopes', { scopes: ['read_billing'] }],
    ['scopes', { scopes: ['operate'] }],
    ['models', { models: ['quipu/nano', 'acme/large'] }],
    ['models', { models: ['*'] }],
    ['routes', { routes: ['/v1/chat*'] }],
    ['ip_ranges', { ipRanges: ['192.0.0.0/16'] }],
    ['ip_ranges', { ipRanges: ['::/0'] }],
  ])('has no wider %s than its issuer: %j', async (field, policy) => {
    const lists = { models: ['quipu/*'], routes: ['/v1/chat/*'], ipRanges: ['192.0.2.0/24'] };
    const { credential } = await manager(lists);
    await expect(issue(credential, policy)).rejects.toMatchObject(tooWide(field));
  });

  it('lasts no longer than its issuer, and not until the past', async () => {
    const { credential } = await manager({}, { expiresAt: inHours(1) });
    const later = issue(credential, {}, { expiresAt: inHours(2) });
    await expect(later).rejects.toMatchObject(tooWide('expires_at'));
    const past = issue('operator', {}, { expiresAt: inHours(-1) });
    await expect(past).rejects.toMatchObject({ code: 'expiry_past' });
  });

  it('has no scope that the role cannot use, and a renter key has inference only', async () => {
    const bob = await here.createUser({ username: 'bob', email: 'b@b.org', role: 'renter' });
    const operator = issue('operator', { scopes: ['operate'] }, { userId: bob.userId });
    await expect(operator).rejects.toMatchObject(tooWide('scopes'));
    const renter = issue('operator', { scopes: MANAGER }, { keyKind: 'renter' });
    await expect(renter).rejects.toMatchObject(tooWide('scopes'));
  });

  it('names a range that is none', async () => {
    for (const range of ['192.0.2.0/33', '300.0.2.0/24', '::/129'])
      await expect(issue('operator', { ipRanges: [range] })).rejects.toMatchObject({
        code: 'invalid_ip_range',
        detail: expect.stringContaining(range),
      });
  });
});

describe('a key that is restricted', () => {
  const restrict = (keyId: string, policy: Partial<KeyPolicy>, endsAt?: string) =>
    here.execute(
      new RestrictApiKeyCommand(
        { userId: FIRST_ID, keyId, policy, ...(endsAt !== undefined && { endsAt }) },
        anyContext(),
      ),
    );

  it('loses what the change takes away, at once, and keeps the rest', async () => {
    const { id, secret } = await issue('operator', { scopes: MANAGER });
    await restrict(id, { models: ['quipu/*'] });
    await restrict(id, { scopes: ['inference'] }, inHours(1));
    const { credential } = await callerOf(secret);
    expect(credential.policy).toEqual({ scopes: ['inference'], models: ['quipu/*'] });
    expect(credential.lists?.allowsModel('quipu/nano')).toBe(true);
    expect(credential.lists?.allowsModel('acme/large')).toBe(false);
    const { keys } = await here.ask(new ListApiKeysQuery(FIRST_ID));
    const listed = keys.find((key) => key.id === id);
    expect(listed).toMatchObject({ policy: { models: ['quipu/*'] }, expiresAt: inHours(1) });
    here.clock.atMs += HOUR_MS;
    expect(await here.authenticator.authenticate(secret)).toBeNull();
    const later = await here.ask(new ListApiKeysQuery(FIRST_ID));
    expect(later.keys.map((key) => key.id)).not.toContain(id);
  });

  it('never gets anything back', async () => {
    const { id } = await issue(
      'operator',
      { scopes: MANAGER, models: [] },
      { expiresAt: inHours(1) },
    );
    const wider = [{ scopes: ['inference', 'read_billing'] }, { models: ['quipu/nano'] }] as const;
    await expect(restrict(id, { scopes: [...wider[0].scopes] })).rejects.toMatchObject(
      tooWide('scopes'),
    );
    await expect(restrict(id, { models: [...wider[1].models] })).rejects.toMatchObject(
      tooWide('models'),
    );
    await expect(restrict(id, {}, inHours(2))).rejects.toMatchObject(tooWide('expires_at'));
  });
});

describe('a key that is rotated', () => {
  const rotate = (keyId: string, issuer: KeyIssuer, overlapSeconds = 0) =>
    here.execute(
      new RotateApiKeyCommand({ userId: FIRST_ID, keyId, issuer, overlapSeconds }, anyContext()),
    );

  it('stays valid for the overlap, once, and its successor has its policy', async () => {
    const policy = { scopes: MANAGER, models: ['quipu/*'] };
    const { id, secret } = await issue('operator', policy);
    const fresh = await rotate(id, 'operator', 60);
    expect(fresh.policy).toEqual(policy);
    await expect(rotate(id, 'operator', 60)).rejects.toMatchObject({ code: 'api_key_not_found' });
    await expect(rotate(id, 'operator')).rejects.toMatchObject({ code: 'api_key_not_found' });
    here.clock.atMs += 59_000;
    const { keyId } = (await callerOf(secret)).credential;
    expect((await callerOf(fresh.secret)).credential).toMatchObject({ keyId, policy });
    here.clock.atMs += 1_000;
    expect(await here.authenticator.authenticate(secret)).toBeNull();
    await callerOf(fresh.secret);
  });

  it('gives its successor to no key that can do less', async () => {
    const { id } = await issue('operator', { scopes: ['inference', 'read_billing'] });
    const { credential, id: own } = await manager();
    await expect(rotate(id, credential)).rejects.toMatchObject(tooWide('scopes'));
    const rotated = await rotate(own, credential);
    expect(rotated.policy.scopes).toEqual(MANAGER);
  });
});

describe('the lists of a policy', () => {
  const of = (policy: Partial<KeyPolicy>) => PolicyLists.of({ scopes: [], ...policy });

  it('are absent where there is no limit, and admit nothing where they are empty', () => {
    expect(of({})).toBeUndefined();
    const none = of({ models: [], routes: [], ipRanges: [] });
    expect(none?.allowsModel('quipu/nano')).toBe(false);
    expect(none?.allowsRoute('/v1/models')).toBe(false);
    expect(none?.allowsAddress('192.0.2.1')).toBe(false);
    const models = of({ models: [] });
    expect(models?.allowsRoute('/v1/models')).toBe(true);
    expect(models?.allowsAddress('192.0.2.1')).toBe(true);
  });

  it('match a beginning, and addresses of both families', () => {
    const routes = of({ routes: ['/v1/chat/*', '/v1/models'] });
    expect(routes?.allowsRoute('/v1/chat/completions')).toBe(true);
    expect(routes?.allowsRoute('/v1/models')).toBe(true);
    expect(routes?.allowsRoute('/v1/models/:id')).toBe(false);
    const ranges = of({ ipRanges: ['192.0.2.0/24', '2001:db8::/32'] });
    for (const inside of ['192.0.2.255', '::ffff:192.0.2.1', '2001:db8:1::1'])
      expect(ranges?.allowsAddress(inside)).toBe(true);
    for (const outside of ['192.0.3.0', '::1', '', 'unix'])
      expect(ranges?.allowsAddress(outside)).toBe(false);
  });
});
