import { IssueApiKeyCommand } from '#areas/identity/keys/issue-api-key.handler.js';
import { type PolicyChange } from '#areas/identity/keys/key-policy.js';
import { type ApiKeyView } from '#areas/identity/keys/list-api-keys.handler.js';
import {
  ListUsedKeysQuery,
  type UsedKeyView,
} from '#areas/identity/keys/list-used-keys.handler.js';
import { RestrictApiKeyCommand } from '#areas/identity/keys/restrict-api-key.handler.js';
import { RevokeApiKeyCommand } from '#areas/identity/keys/revoke-api-key.handler.js';
import { type KeyPolicy, type Scope } from '#events/identity/key-policy.vocabulary.js';
import { type UserId } from '#events/vocabulary.js';
import { inUsd, toDecimal } from '#platform/kernel/money.js';
import { apiKeys } from '#projections/identity/api-keys.projection.js';
import { keyUse } from '#projections/billing/key-use.projection.js';
import { isDomainError, usage } from '../command-failure.js';
import { confirm } from '../confirmation.js';
import {
  type CommonOptions,
  type Invocation,
  type IrreversibleOptions,
  type Outcome,
} from '../invocation.js';
import { type Quipu, withQuipu } from '../quipu.context.js';
import { listText } from '../table.js';
import { userIdOf } from '../user-option.js';
import { KEY_KINDS, type KeyWord } from './key-words.js';

export interface KeysOptions extends CommonOptions {
  readonly user: string;
}

export interface KeyOptions extends KeysOptions {
  readonly key: string;
}

export interface PolicyOptions {
  readonly scopes?: readonly Scope[];
  readonly models?: readonly string[];
  readonly routes?: readonly string[];
  readonly ipRanges?: readonly string[];
  readonly expiresAt?: string;
}

export interface IssueKeyOptions extends KeysOptions, PolicyOptions {
  readonly name: string;
  readonly kind: KeyWord;
}

export interface RestrictKeyOptions extends KeyOptions, PolicyOptions {}

const NEEDS = {
  areas: ['identity', 'billing'],
  installation: 'exists',
  projections: [apiKeys, keyUse],
} as const;

const LIST_OPTIONS = ['models', 'routes', 'ipRanges'] as const;

const changeOf = (options: PolicyOptions): PolicyChange => {
  const { scopes, models, routes, ipRanges } = options;
  return {
    ...(scopes && { scopes: [...scopes] }),
    ...(models && { models: [...models] }),
    ...(routes && { routes: [...routes] }),
    ...(ipRanges && { ipRanges: [...ipRanges] }),
  };
};

/** A policy that is refused is the fault of an option. */
const ofOptions = async <Result>(work: Promise<Result>): Promise<Result> => {
  try {
    return await work;
  } catch (error) {
    const codes = ['policy_too_wide', 'invalid_ip_range', 'expiry_past', 'api_key_not_found'];
    if (!isDomainError(error) || !codes.includes(error.code)) throw error;
    throw usage(error.detail);
  }
};

const withUser = (
  { user }: KeysOptions,
  invocation: Invocation,
  work: (quipu: Quipu, userId: UserId) => Promise<Outcome>,
): Promise<Outcome> =>
  withQuipu(invocation, NEEDS, async (quipu) => work(quipu, await userIdOf(quipu, user)));

export const issueKey = (options: IssueKeyOptions, invocation: Invocation): Promise<Outcome> =>
  withUser(options, invocation, async ({ commands, context }, userId) => {
    const { name, kind, expiresAt } = options;
    const own = { userId, keyKind: KEY_KINDS[kind], name, issuer: 'operator' } as const;
    const end = expiresAt === undefined ? {} : { expiresAt };
    const data = { ...own, policy: changeOf(options), ...end };
    const issued = await ofOptions(commands.execute(new IssueApiKeyCommand(data, context())));
    const { secret, ...key } = issued;
    return {
      json: { user_id: userId, api_key: secret, key: jsonOf(key) },
      text: `Key ${key.id}, shown only once: ${policyText(key.policy)}\n  ${secret}`,
    };
  });

export const listKeys = (options: KeysOptions, invocation: Invocation): Promise<Outcome> =>
  withUser(options, invocation, async ({ queries }, userId) => {
    const { keys } = await queries.execute(new ListUsedKeysQuery(userId));
    const rows = keys.map((key) => [
      key.id,
      key.kind,
      key.name,
      key.issuedAt,
      key.expiresAt ?? '-',
      key.lastUsedAt ?? '-',
      inUsd(key.chargedMicroUsd),
      policyText(key.policy),
    ]);
    const header = ['ID', 'KIND', 'NAME', 'ISSUED', 'EXPIRES', 'LAST USED', 'CHARGED', 'POLICY'];
    return {
      json: { user_id: userId, keys: keys.map(usedJsonOf) },
      text: listText({ noun: 'keys', header, rows }),
    };
  });

export const restrictKey = (
  options: RestrictKeyOptions,
  invocation: Invocation,
): Promise<Outcome> =>
  withUser(options, invocation, async ({ commands, context }, userId) => {
    const { key: keyId, expiresAt } = options;
    const end = expiresAt === undefined ? {} : { endsAt: expiresAt };
    const data = { userId, keyId, policy: changeOf(options), ...end };
    await ofOptions(commands.execute(new RestrictApiKeyCommand(data, context())));
    return {
      json: { user_id: userId, key_id: keyId, restricted: true },
      text: `Key ${keyId} has the policy.`,
    };
  });

export interface RevokeKeyOptions extends KeyOptions, IrreversibleOptions {}

export const revokeKey = async (
  options: RevokeKeyOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const { key: keyId } = options;
  const consequence = `This makes the key ${keyId} of ${options.user} invalid for good.`;
  await confirm({ word: keyId, consequence, otherwise: 'no key was revoked' }, options, invocation);
  return withUser(options, invocation, async ({ commands, context }, userId) => {
    await ofOptions(commands.execute(new RevokeApiKeyCommand({ owner: userId, keyId }, context())));
    return {
      json: { user_id: userId, key_id: keyId, revoked: true },
      text: `Key ${keyId} was revoked, in every process.`,
    };
  });
};

const jsonOf = ({ id, kind, name, policy, sessionId, ...key }: ApiKeyView) => ({
  id,
  kind,
  name,
  scopes: policy.scopes,
  models: policy.models ?? null,
  routes: policy.routes ?? null,
  ip_ranges: policy.ipRanges ?? null,
  session_id: sessionId,
  issued_at: key.issuedAt,
  expires_at: key.expiresAt,
});

const usedJsonOf = (key: UsedKeyView) => ({
  ...jsonOf(key),
  last_used_at: key.lastUsedAt,
  charged_micro_usd: toDecimal(key.chargedMicroUsd),
});

const NAMES = { models: 'models', routes: 'routes', ipRanges: 'addresses' } as const;

const policyText = (policy: KeyPolicy): string => {
  const lists = LIST_OPTIONS.flatMap((list) => {
    const entries = policy[list];
    return entries ? [`${NAMES[list]}: ${entries.join(' ') || 'none'}`] : [];
  });
  return [policy.scopes.join(' ') || 'no scope', ...lists].join('; ');
};
