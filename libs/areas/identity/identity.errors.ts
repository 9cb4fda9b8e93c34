import { DomainError } from '#platform/kernel/domain-error.js';

/** Every domain error of the area with its HTTP status. This table closes the union of codes. */
export const identityErrors = {
  invalid_username: { status: 400 },
  invalid_email: { status: 400 },
  invalid_password: { status: 400 },
  invalid_role: { status: 400 },
  username_taken: { status: 409 },
  email_taken: { status: 409 },
  user_id_taken: { status: 500 },
  /** Another request registers the same subject of an OpenID provider. */
  openid_taken: { status: 409 },
  /** Its detail has the names of the missing settings. */
  oidc_not_configured: { status: 503 },
  /** The callback does not belong to a sign-in that this browser began. */
  invalid_state: { status: 400, param: 'state' },
  /** By the OpenID provider, or its answer is not valid; the detail has the part at fault. */
  sign_in_rejected: { status: 401 },
  /** A token of the provider is valid, and its subject is no user and in no group with a rule. */
  subject_not_admitted: { status: 403 },
  group_rule_not_found: { status: 404 },
  too_many_group_rules: { status: 409 },
  user_not_found: { status: 404 },
  /** Only after the password was correct. */
  user_disabled: { status: 403 },
  /** Also for an unknown user: a caller must not be able to distinguish the two. */
  invalid_credentials: { status: 401 },
  /** Also for a code that was accepted before. */
  invalid_otp: { status: 401 },
  /** Wrong codes of the user from all addresses; its metadata has `retry_after_seconds`. */
  too_many_wrong_codes: { status: 429 },
  /** Unknown, answered, expired, or out of attempts. */
  invalid_challenge: { status: 401 },
  /** Unknown, used or expired. */
  invalid_reset: { status: 401, param: 'token' },
  session_not_found: { status: 404 },
  api_key_not_found: { status: 404 },
  api_key_exists: { status: 500 },
  api_key_limited: { status: 403 },
  too_many_api_keys: { status: 409 },
  /** The user is not, or no longer, a member of the team for which a key is asked. */
  membership_ended: { status: 403 },
  /** The role of the user cannot use the scope. */
  scope_not_allowed: { status: 403 },
  /** It admits more than the key that asks, or than before; its metadata has the `field`. */
  policy_too_wide: { status: 403 },
  mail_not_set_up: { status: 409, param: 'send_mail' },
  mail_not_sent: { status: 502 },
  expiry_past: { status: 400, param: 'expires_at' },
  invalid_ip_range: { status: 400, param: 'ip_ranges' },
  two_factor_enabled: { status: 409 },
  two_factor_not_enabled: { status: 409 },
  two_factor_not_enrolling: { status: 409 },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;

export type IdentityErrorCode = keyof typeof identityErrors;

/**
 * Rejects a command or query.
 * @param detail a sentence for the caller; it holds no secret and does not reveal whether a user
 *   exists
 * @throws DomainError
 */
export const reject = (
  code: IdentityErrorCode,
  detail: string,
  metadata?: DomainError['metadata'],
): never => {
  throw new DomainError<IdentityErrorCode>(code, detail, metadata);
};
