import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { RequestMethod } from '@nestjs/common';
import { areas } from '../../composition/areas.js';
import { declaredRoutes } from '../declared-routes.fixture.js';
import { IDEMPOTENT } from './idempotency.metadata.js';

/**
 * Routes that write without `@Idempotent()`. A route that creates or charges must not be in this
 * list.
 */
const EXEMPT: Readonly<Record<string, string>> = {
  // The request has no account, so a key would have no owner. A repeated log-in opens another
  // session, which is free and can be revoked.
  'POST api/v1/auth/login': 'opens a session',
  // The request has no account, and a challenge is answered only once.
  'POST api/v1/auth/verify_2fa': 'opens a session',
  'POST api/v1/auth/console_session': 'opens a session',
  'POST api/v1/auth/console_session/challenge': 'its token works once',
  'POST api/v1/auth/console_session/confirmation': 'a second confirmation confirms again',
  // A repeated end changes nothing.
  'POST api/v1/auth/revoke': 'ends a session',
  'DELETE api/v1/auth/console_session': 'ends a session',
  'DELETE api/v1/auth/keys/:id': 'ends a key',
  'POST api/v1/auth/keys/:id/restrict': 'sets a policy',
  // A repeated deletion finds no model.
  'DELETE v1/models/:id': 'ends a model',
  'DELETE v1/models/*': 'ends a model',
  'DELETE api/v1/models/:id': 'ends a model',
  'DELETE api/v1/models/*': 'ends a model',
  // The rule of a group is set as a whole, and a repeated removal finds no rule.
  'PUT api/v1/auth/oidc/rules': 'sets a rule',
  'DELETE api/v1/auth/oidc/rules/:rule_id': 'removes a rule',
  // A budget is set as a whole: setting the same one again changes nothing.
  'PUT api/v1/alerts': 'sets rules',
  'PUT api/v1/budgets/account': 'sets a limit',
  'PUT api/v1/budgets/keys/:id': 'sets a limit',
  'PUT api/v1/budgets/users/:user': 'sets a limit',
  'PUT api/v1/budgets/tags/:tag': 'sets a limit',
  // A repeated removal finds no budget.
  'DELETE api/v1/budgets/account': 'lifts a limit',
  'DELETE api/v1/budgets/keys/:id': 'lifts a limit',
  'DELETE api/v1/budgets/users/:user': 'lifts a limit',
  'DELETE api/v1/budgets/tags/:tag': 'lifts a limit',
  'PUT api/v1/teams/:team_id/budget': 'sets a limit',
  'DELETE api/v1/teams/:team_id/budget': 'lifts a limit',
  // A token is accepted once; a repeated removal or withdrawal finds nothing.
  'POST api/v1/teams/invitations/accept': 'accepts an invitation',
  'DELETE api/v1/teams/:team_id/invitations/:invitation_id': 'withdraws an invitation',
  'PUT api/v1/teams/:team_id/members/:member_id': 'sets a role',
  'DELETE api/v1/teams/:team_id/members/:member_id': 'removes a member',
  'DELETE api/v1/teams/:team_id/keys/:key_id': 'ends a key',
  // A tax status is set as a whole: setting the same one again changes nothing.
  'PUT api/v1/billing/invoice_details': 'sets details',
  'PUT api/v1/tax_status': 'sets a status',
  'PUT api/v1/tax_status/:account_id': 'sets a status',
  // A password is changed with the present one, which a repeat no longer is.
  'POST api/v1/auth/password': 'changes a password',
  // A name is taken once. The secrets of a user are shown once.
  'POST api/v1/users': 'creates a user',
  // A repeated change changes nothing; a repeated reset gives another password.
  'PUT api/v1/users/:user_id/role': 'sets a role',
  'POST api/v1/users/:user_id/disable': 'disables a user',
  'POST api/v1/users/:user_id/enable': 'enables a user',
  'POST api/v1/users/:user_id/reset_password': 'sets a password',
  'POST api/v1/users/:user_id/reset_second_factor': 'disables a second factor',
  // A repeated offer replaces the one before it; a token is accepted once.
  'POST api/v1/users/:user_id/password_reset': 'offers a password',
  'POST api/v1/auth/password_reset': 'sets a password',
  // A repeated end or closure changes nothing.
  'DELETE api/v1/auth/sessions/:session_id': 'ends a session',
  'DELETE api/v1/users/:user_id/sessions': 'ends sessions',
  'DELETE api/v1/users/:user_id/sessions/:session_id': 'ends a session',
  'DELETE api/v1/users/:user_id': 'closes an account',
  // The id of the deposit, and the total that went back of it, have an effect once.
  'POST api/v1/accounts/:account_id/deposits': 'credits a payment',
  'POST api/v1/accounts/:account_id/deposits/:deposit_id/reversals': 'takes a payment back',
  'POST api/v1/billing/stripe_events': 'takes an event that is sent again',
  // It credits nothing: it only makes the gateway look at the chain. Its sender has no account.
  'POST api/v1/billing/crypto_notifications': 'looks at a chain',
  // A repeated deletion finds no endpoint.
  'DELETE api/v1/webhooks/:id': 'deletes an endpoint',
  // A repeated removal finds no server. A repeated decision about a tool changes nothing.
  'DELETE api/v1/mcp/servers/:server': 'removes a server',
  'POST api/v1/mcp/servers/:server/tools/:tool/allow': 'allows a tool',
  'POST api/v1/mcp/servers/:server/tools/:tool/forbid': 'forbids a tool',
  'POST api/v1/mcp/servers/:server/tools/:tool/approve': 'approves a tool',
  // A repeated deletion finds no file.
  'DELETE v1/files/:file_id': 'deletes a file',
  // A repeated deletion finds no response.
  'DELETE v1/responses/:response_id': 'deletes a response',
  // A repeated release changes nothing.
  'DELETE api/v1/pipeline/placements/:id': 'ends a reservation',
  // A repeated erasure or deletion changes nothing, and a clearance is set as a whole.
  'DELETE api/v1/vaults/:id': 'erases a vault',
  'DELETE api/v1/vaults/:id/documents/:document_id': 'deletes a document',
  'DELETE v1/vector_stores/:vector_store_id': 'erases a vault',
  'DELETE v1/vector_stores/:vector_store_id/files/:file_id': 'deletes a document',
  'PUT api/v1/vault/clearances/:account_id': 'sets a clearance',
  // A repeated cancellation or withdrawal changes nothing.
  'DELETE api/v1/dtn/bundles/:id': 'cancels a bundle',
  'DELETE api/v1/dtn/contacts/:id': 'withdraws a contact',
  'DELETE api/v1/dtn/links/:id': 'withdraws a link',
  'DELETE api/v1/space/observations/:id': 'deletes an image',
  'DELETE api/v1/space/stations/:station_id': 'retires a station',
  'DELETE api/v1/cleanrooms/:cleanroom_uuid/participants/:account_id/:role':
    'removes a participant',
  'DELETE api/v1/cleanrooms/:cleanroom_uuid/contributions/:contribution_id': 'withdraws rows',
  'DELETE api/v1/zk_proofs/keys/:key_id': 'retires a key',
  // It computes, and writes nothing.
  'POST api/v1/dtn/routes': 'explains a route',
  'POST api/v1/stac/search': 'searches items',
  // Its body is a stream, which is not compared. A file is free, and can be deleted.
  'POST v1/files': 'stores a stream',
  // Its body is a stream, which is not compared. A repeat is another request, charged as one.
  'POST v1/images/edits': 'reads a stream',
  'POST api/v1/images/edits': 'reads a stream',
  // Its body is a stream, which is not compared. A repeat is refused: its slug is taken.
  'POST api/v1/adapters/vault': 'stores a stream',
  // A repeated removal finds no adapter.
  'DELETE api/v1/adapters/vault/:adapter_id': 'removes an adapter',
  // Its key is in the form, whose body is a stream. A repeated sync writes the same file, free.
  'POST api/jobs/sync_file': 'stores a stream',
  // These check a password or a code and count failed attempts: a replay, or a conflict of two
  // bodies, would answer without the check. A one-time code works only once, so a repeat fails.
  'POST api/v1/auth/2fa/enrol': 'checks a password',
  'POST api/v1/auth/2fa/confirm': 'checks a one-time code',
  'POST api/v1/auth/2fa/disable': 'checks a one-time code',
  'POST api/v1/auth/2fa/recovery-codes': 'checks a one-time code',
};

const CHANGING = [
  RequestMethod.POST,
  RequestMethod.PUT,
  RequestMethod.PATCH,
  RequestMethod.DELETE,
  RequestMethod.ALL,
];

const routes = (await declaredRoutes(areas))
  .filter(({ verb }) => CHANGING.includes(verb))
  .map(({ name, guards, metadata }) => ({
    name,
    isIdempotent: metadata(IDEMPOTENT) !== undefined,
    hasGuard: guards.length > 0,
  }));

describe('every route that writes', () => {
  it('is idempotent, or exempt for a reason', () => {
    const missing = routes.filter(({ name, isIdempotent }) => !isIdempotent && !(name in EXEMPT));
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  it('has no needless exemption', () => {
    const bare = routes.filter(({ isIdempotent }) => !isIdempotent).map(({ name }) => name);
    expect(Object.keys(EXEMPT).filter((name) => !bare.includes(name))).toEqual([]);
  });

  it('has a guard if it is idempotent: the key belongs to an account', () => {
    const idempotent = routes.filter(({ isIdempotent }) => isIdempotent);
    expect(idempotent.map(({ name }) => name)).toContain('POST v1/chat/completions');
    expect(idempotent.filter(({ hasGuard }) => !hasGuard)).toEqual([]);
  });
});
