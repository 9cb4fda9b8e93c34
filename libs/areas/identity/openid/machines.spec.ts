import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Authenticator } from '../authentication/authenticator.js';
import { anyContext, movableClock } from '../identity-world.fixture.js';
import { RemoveGroupRuleCommand } from './group-rules.handlers.js';
import { CLOCK_SKEW_SECONDS } from './provider-discovery.js';
import {
  AUDIENCE,
  CLIENT_ID,
  type TokenClaims,
  type TokenTerms,
} from './scripted-issuer.fixture.js';
import { openSignIns, type SignIns } from './sign-ins.fixture.js';

let at: SignIns;
let issuer: SignIns['issuer'];
let here: SignIns['here'];

beforeEach(async () => {
  at = await openSignIns();
  ({ issuer, here } = at);
});
afterEach(() => at.end());

describe('a token of the provider', () => {
  const claims = (more: TokenClaims = {}): TokenClaims => ({
    iss: issuer.url,
    aud: AUDIENCE,
    sub: 'machine-1',
    iat: at.nowSeconds(),
    exp: at.nowSeconds() + 60,
    ...more,
  });
  const tokenOf = (more: TokenClaims = {}, terms: TokenTerms = { typ: 'at+jwt' }) =>
    issuer.sign(claims(more), terms);
  const authenticate = async (token: string) => here.authenticator.authenticate(token);

  it('is rejected with a clear error for a subject that no rule admits', async () => {
    const token = await tokenOf({ groups: ['others'] });
    await expect(authenticate(token)).rejects.toMatchObject({ code: 'subject_not_admitted' });
    expect(here.openedAccounts).toEqual(['1']);
  });

  it('has the role and the scopes of the rule that admits its group', async () => {
    const scopes = { tokenScopes: ['inference', 'read_billing'] };
    const { id } = await at.setRule('batch', 'Partner', scopes);
    const token = await tokenOf({ groups: ['batch'] });
    const callers = await Promise.all([token, token, token].map(authenticate));
    expect(callers[0]).toEqual({
      userId: 2,
      accountId: '2',
      role: 'Partner',
      credential: {
        kind: 'provider_token',
        id: expect.stringMatching(/^[0-9a-f]{64}$/),
        policy: { scopes: ['inference', 'read_billing'] },
      },
    });
    expect(new Set(callers.map((caller) => caller?.userId))).toEqual(new Set([2]));
    expect(here.openedAccounts).toEqual(['1', '2']);
    await here.execute(new RemoveGroupRuleCommand(id, anyContext()));
    expect(await authenticate(token)).toMatchObject({
      role: 'renter',
      credential: { policy: { scopes: ['inference'] } },
    });
  });

  it('has inference alone without a rule, also for an Admin', async () => {
    await at.setRule('admins', 'Admin');
    await at.sessionOf({ sub: 'machine-1', groups: ['admins'] });
    expect(await authenticate(await tokenOf())).toMatchObject({
      userId: 2,
      role: 'renter',
      credential: { policy: { scopes: ['inference'] } },
    });
  });

  it('is answered from memory after it was verified, until it ends', async () => {
    await at.sessionOf({ sub: 'machine-1' });
    const token = await tokenOf();
    const { eventStore, codec, appTokens, clock, machines } = here;
    const lasting = { credentialsFreshMs: 60_000 };
    const other = new Authenticator(eventStore, codec, appTokens, clock, lasting, machines);
    expect(await other.authenticate(token)).toMatchObject({ userId: 2 });
    expect(other.authenticate(token)).toMatchObject({ userId: 2 });
    here.clock.atMs += (60 + CLOCK_SKEW_SECONDS - 2) * 1_000;
    expect(await authenticate(token)).not.toBeNull();
    here.clock.atMs += 2_000;
    expect(await authenticate(token)).toBeNull();
  });

  it('is not valid for a disabled user', async () => {
    await at.sessionOf({ sub: 'machine-1' });
    const token = await tokenOf();
    expect(await authenticate(token)).not.toBeNull();
    await at.change('disable');
    expect(await authenticate(token)).toBeNull();
  });

  const NONE: readonly (readonly [string, () => TokenClaims, TokenTerms])[] = [
    ['another audience', () => ({ aud: 'another' }), {}],
    ['the client as its audience, as an ID token has', () => ({ aud: CLIENT_ID }), {}],
    ['another issuer', () => ({ iss: 'https://id.example.org' }), {}],
    ['an end that is over', () => ({ exp: at.nowSeconds() - CLOCK_SKEW_SECONDS - 5 }), {}],
    ['no end', () => ({ exp: undefined }), {}],
    ['a beginning in the future', () => ({ nbf: at.nowSeconds() + CLOCK_SKEW_SECONDS + 5 }), {}],
    ['no subject', () => ({ sub: undefined }), {}],
    ['a key of its sender', () => ({ cnf: { jkt: 'thumbprint' } }), {}],
    ['another type', () => ({}), { typ: 'logout+jwt' }],
    ['no signature', () => ({}), { key: 'none' }],
    ['the key of another issuer', () => ({}), { key: 'foreign' }],
    ['an unknown key', () => ({}), { key: 'unknown' }],
    ['a shared secret', () => ({}), { key: 'shared' }],
    ['more than 8,192 characters', () => ({ long: 'a'.repeat(8_192) }), {}],
  ];

  it('that is not right is none', async () => {
    await at.sessionOf({ sub: 'machine-1' });
    expect(await authenticate(await tokenOf())).not.toBeNull();
    for (const [name, moreOf, terms] of NONE) {
      const caller = await authenticate(await tokenOf(moreOf(), terms));
      expect({ name, caller }).toEqual({ name, caller: null });
    }
  });

  it('of an unknown key makes the keys be read again, once in a while', async () => {
    await at.sessionOf({ sub: 'machine-1' });
    await authenticate(await tokenOf());
    const before = issuer.requests.keys;
    for (let sent = 0; sent < 20; sent += 1) {
      await authenticate(await tokenOf({ jti: String(sent) }, { key: 'unknown' }));
    }
    expect(issuer.requests.keys - before).toBeLessThanOrEqual(1);
  });

  it('is rejected while the keys cannot be read', async () => {
    issuer.script.isAway = true;
    await expect(authenticate(await tokenOf())).rejects.toMatchObject({
      name: 'OpenIdUnavailableError',
    });
  });

  it('is none where no audience is configured', async () => {
    const settings = { ...issuer.settings, audience: null };
    const there = await at.world.start(movableClock(Date.now()), settings);
    expect(await there.authenticator.authenticate(await tokenOf())).toBeNull();
  });
});
