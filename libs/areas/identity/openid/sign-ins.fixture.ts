import { type Role } from '#events/identity/identity.vocabulary.js';
import { UserId } from '#events/vocabulary.js';
import { anyContext, movableClock, openWorld } from '../identity-world.fixture.js';
import { SESSION_SCOPES } from '../keys/key-policy.js';
import { DefineTenantCommand } from '../tenants/define-tenant.handler.js';
import { ChangeUserCommand } from '../users/change-user.handler.js';
import { type GroupRuleView, SetGroupRuleCommand } from './group-rules.handlers.js';
import {
  CLIENT_ID,
  openScriptedIssuer,
  type TokenClaims,
  type TokenTerms,
} from './scripted-issuer.fixture.js';
import { SignInOpenIdCommand } from './sign-in-openid.handler.js';

const TENANT = { name: 'Quipu', primaryColor: '#7a3e1d', baseUrl: 'http://127.0.0.1:8080' };
/** The first user has a password. */
export const SECOND_ID = UserId.parse(2);
export const CLIENT = { appName: 'Pocket', deviceInfo: null, scopes: SESSION_SCOPES };

/** The area beside a scripted issuer, with one user who has a password. */
export const openSignIns = async () => {
  const issuer = await openScriptedIssuer();
  const world = await openWorld();
  // The library of the code flow compares with the clock of the machine.
  const here = await world.start(movableClock(Date.now()), issuer.settings);
  await here.execute(new DefineTenantCommand(TENANT, anyContext()));
  await here.createUser();

  const nowSeconds = (): number => Math.floor(here.clock.now() / 1_000);

  const idClaims = (nonce: string, more: TokenClaims = {}): TokenClaims => ({
    iss: issuer.url,
    aud: CLIENT_ID,
    sub: 'subject-1',
    nonce,
    iat: nowSeconds(),
    exp: nowSeconds() + 60,
    groups: [],
    ...more,
  });

  const begin = async (at = here) => {
    const { url, sealed } = await at.signIns.begin(CLIENT);
    const asked = new URL(url).searchParams;
    return { url, sealed, state: asked.get('state') ?? '', nonce: asked.get('nonce') ?? '' };
  };

  const callback = (query: string, sealed: string | null) =>
    here.execute(new SignInOpenIdCommand({ query, sealed }, anyContext()));

  /** A whole sign-in, whose ID token has these claims. */
  const signIn = async (more: TokenClaims = {}, terms: TokenTerms = {}) => {
    const { sealed, state, nonce } = await begin();
    issuer.script.idToken = await issuer.sign(idClaims(nonce, more), terms);
    return callback(`code=once&state=${state}`, sealed);
  };

  return {
    issuer,
    world,
    here,
    nowSeconds,
    idClaims,
    begin,
    callback,
    signIn,
    sessionOf: async (more: TokenClaims = {}) => {
      const outcome = await signIn(more);
      if (outcome.kind !== 'session') throw new Error('expected a session');
      return outcome.session;
    },
    setRule: (group: string, role: Role, more: object = {}): Promise<GroupRuleView> => {
      const grant = { role, tokenScopes: ['inference' as const], ...more };
      return here.execute(new SetGroupRuleCommand({ group, grant }, anyContext()));
    },
    change: (kind: 'disable' | 'enable') =>
      here.execute(new ChangeUserCommand(SECOND_ID, { kind }, anyContext())),
    end: async () => {
      await world.end();
      await issuer.close();
    },
  };
};

export type SignIns = Awaited<ReturnType<typeof openSignIns>>;
