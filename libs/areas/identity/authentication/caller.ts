import { type Role } from '#events/identity/identity.vocabulary.js';

/** Who sent a request, as one of the three kinds of credentials proved it. */
export interface Caller {
  readonly userId: number;
  /** The user's own account: the id in decimal. */
  readonly accountId: string;
  /** A renter key never carries more than the role `renter`, whoever it belongs to. */
  readonly role: Role;
  readonly credential: Credential;
}

export type CredentialKind = 'api_key' | 'app_token' | 'renter_key';

export interface Credential {
  readonly kind: CredentialKind;
  /** The hash of the key, or the id of the app token's session; not a secret. */
  readonly id: string;
  /** The session that the credential ends with. */
  readonly sessionId?: string;
}

export const accountIdOf = (userId: number): string => String(userId);
