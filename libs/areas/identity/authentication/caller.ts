import { type Role } from '#events/identity/identity.vocabulary.js';
import { type KeyPolicy } from '#events/identity/key-policy.vocabulary.js';
import { type Member } from '#events/teams/team.vocabulary.js';
import { type UserId } from '#events/vocabulary.js';
import { type PolicyLists } from '../keys/key-policy.js';

/** The authenticated sender of a request. */
export interface Caller {
  readonly userId: UserId;
  /** The user's own account, which is the id in decimal, or the account of its team. */
  readonly accountId: string;
  /** In the team that the credential acts for; absent: it acts for the user's own account. */
  readonly member?: Member;
  /**
   * A renter key and a key of a team have the role `renter`, whatever the role of the user; a token
   * of the OpenID provider has the role that the rules give its groups.
   */
  readonly role: Role;
  readonly credential: Credential;
}

export type CredentialKind =
  'api_key' | 'app_token' | 'console_session' | 'renter_key' | 'provider_token';

export interface Credential {
  readonly kind: CredentialKind;
  /** The hash of the key or of the provider's subject, or the id of the session; not a secret. */
  readonly id: string;
  /**
   * Of an access token or a console session: the scopes of the session. Of a token of the provider:
   * by the rules. Of a key of a team: less the scopes that the role in the team lacks.
   */
  readonly policy: KeyPolicy;
  /** Absent where the policy has no lists. */
  readonly lists?: PolicyLists;
  /** Of an API key: the id under which budgets count it. A rotation does not change it. */
  readonly keyId?: string;
  /** Of an API key: how long answers are kept where the request does not say. Absent: not. */
  readonly cacheSeconds?: number;
  /** Of a console session: whether its user has proven the identity in the last minutes. */
  readonly isConfirmed?: boolean;
  /** The session that the credential belongs to, if any. */
  readonly sessionId?: string;
}

export const accountIdOf = (userId: number): string => String(userId);
