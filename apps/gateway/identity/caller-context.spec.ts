import { describe, expect, it } from '@jest/globals';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { PolicyLists } from '#areas/identity/keys/key-policy.js';
import { UserId } from '#events/vocabulary.js';
import { bodyLabels } from '../paid/body-labels.js';
import { callerContext } from './caller-context.js';

const caller = {
  userId: UserId.parse(7),
  credential: { kind: 'api_key', id: 'h', keyId: '2b9ac6a26d6d9ca1', policy: { scopes: [] } },
} satisfies Pick<Caller, 'userId' | 'credential'>;
const hash = (text: string): string => `hash of ${text}`;

const contextWith = (sent: string | undefined, body: unknown = {}) =>
  callerContext(
    { id: 'request', headers: sent === undefined ? {} : { 'x-quipu-tags': sent } },
    caller,
    bodyLabels(body, '7', hash),
  );

describe('the context of a caller', () => {
  it('has its actor and key, and no labels where there are none', () => {
    expect(contextWith(undefined)).toEqual({
      requestId: 'request',
      correlationId: 'request',
      causationId: 'request',
      actor: 'user:7',
      key: '2b9ac6a26d6d9ca1',
    });
    expect(contextWith('')).not.toHaveProperty('tags');
  });

  it('has the models of the policy of its key, where the policy lists some', () => {
    const contextOfPolicy = (policy: object) => {
      const lists = PolicyLists.of({ scopes: [], ...policy });
      const credential = { ...caller.credential, ...(lists && { lists }) };
      return callerContext({ id: 'request', headers: {} }, { ...caller, credential });
    };
    const { allowsModel } = contextOfPolicy({ models: ['quipu/*'] });
    expect(allowsModel?.('quipu/nano')).toBe(true);
    expect(allowsModel?.('acme/large')).toBe(false);
    expect(contextOfPolicy({ routes: [] })).not.toHaveProperty('allowsModel');
  });

  it('has the tags of the header, by name', () => {
    const { tags } = contextWith('project=alpha, env=prod,team=a b/c=d');
    expect(tags).toEqual(['env=prod', 'project=alpha', 'team=a b/c=d']);
  });

  it.each([
    'alpha',
    '=alpha',
    'project=',
    'a b=c',
    'env=prod,env=test',
    'env=prod,',
    'env=prüfung',
    `long=${'x'.repeat(60)}`,
    Array.from({ length: 17 }, (_, n) => `t${n}=x`).join(),
  ])('rejects the header by name: %s', (sent) => {
    expect(() => contextWith(sent)).toThrow(/^x-quipu-tags: expected at most 16 pairs name=value/);
  });

  it('has pairs of metadata that fit a tag, behind the tags of the header', () => {
    const metadata = {
      env: 'test',
      city: 'Köln',
      list: 'a,b',
      long: 'x'.repeat(60),
      'no name': 'x',
      lone: '\ud800',
      count: 5,
      empty: '',
      user_id: 'ada@example.com',
    };
    const { tags } = contextWith('env=prod', { metadata });
    expect(tags).toEqual(['city=Köln', 'env=prod']);
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`m${n}`, 'x']));
    expect(contextWith('z=1', { metadata: many }).tags).toHaveLength(16);
    expect(contextWith('z=1', { metadata: many }).tags).toContain('z=1');
  });

  it.each([
    [{ safety_identifier: 'ada', user: 'bob' }, 'ada'],
    [{ user: 'bob', metadata: { user_id: 'eve' } }, 'bob'],
    [{ metadata: { user_id: 'eve' } }, 'eve'],
  ])('has the hash of the end user and not its name: %j', (body, named) => {
    expect(contextWith(undefined, body)).toMatchObject({
      endUser: `hash of end user of account 7\n${named}`,
    });
  });

  it.each([{ user: '' }, { user: 5 }, { user: null }, 'ada', null, []])(
    'has no end user of %j',
    (body) => {
      expect(contextWith(undefined, body)).not.toHaveProperty('endUser');
    },
  );
});
