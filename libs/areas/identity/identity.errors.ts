/** Every refusal of the area and the HTTP status it becomes. The union is closed by this table. */
export const identityRefusals = {
  invalid_username: { status: 400 },
  invalid_email: { status: 400 },
  invalid_password: { status: 400 },
  invalid_role: { status: 400 },
  username_taken: { status: 409 },
  email_taken: { status: 409 },
  user_id_taken: { status: 500 },
  user_not_found: { status: 404 },
  /** Also for a user that is not there: the two must not be told apart. */
  invalid_credentials: { status: 401 },
  /** Also for a code that was accepted before. */
  invalid_otp: { status: 401 },
  /** Unknown, answered, expired, or tried too often. */
  invalid_challenge: { status: 401 },
  session_not_found: { status: 404 },
  api_key_not_found: { status: 404 },
  api_key_exists: { status: 500 },
  too_many_api_keys: { status: 409 },
  two_factor_enabled: { status: 409 },
  two_factor_not_enabled: { status: 409 },
  two_factor_not_enrolling: { status: 409 },
} as const satisfies Readonly<Record<string, { readonly status: number }>>;

export type IdentityRefusal = keyof typeof identityRefusals;
