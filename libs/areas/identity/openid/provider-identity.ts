import { z } from 'zod';
import { EMAIL_LENGTH_MAX } from '../users/user-details.js';

/** A subject of the provider, as a verified token describes it. */
export interface ProviderIdentity {
  /** As it is configured. */
  readonly issuer: string;
  readonly subject: string;
  readonly groups: readonly string[];
  /** The name that the user would like; null: none. */
  readonly preferredName: string | null;
  /** Null: none that the provider has verified. */
  readonly verifiedEmail: string | null;
  /** Whether the provider has asked for several factors (`mfa` in `amr`, RFC 8176). */
  readonly isMultiFactor: boolean;
}

/** Later ones of a token are ignored. */
export const GROUPS_MAX = 1_000;

const text = z.string().min(1).nullable().catch(null);

const Claims = z.object({
  /** At most 255 characters (OpenID Connect Core, section 8). */
  sub: z.string().min(1).max(255),
  preferred_username: text,
  email: z.string().max(EMAIL_LENGTH_MAX).nullable().catch(null),
  email_verified: z.literal(true).or(z.literal('true')).nullable().catch(null),
  amr: z.array(z.string()).catch([]),
});

/** A provider may send one group as a text. */
const Groups = z
  .array(z.unknown())
  .or(z.string().transform((group) => [group]))
  .catch([])
  .transform((groups) =>
    groups.slice(0, GROUPS_MAX).filter((group): group is string => typeof group === 'string'),
  );

/** Null for claims without a subject. */
export const identityOf = (
  issuer: string,
  claims: Readonly<Record<string, unknown>>,
  groupsClaim: string,
): ProviderIdentity | null => {
  const parsed = Claims.safeParse(claims);
  if (!parsed.success) return null;
  const { sub, preferred_username: preferredName, email, email_verified, amr } = parsed.data;
  return {
    issuer,
    subject: sub,
    groups: Groups.parse(claims[groupsClaim]),
    preferredName,
    verifiedEmail: email_verified === null ? null : email,
    isMultiFactor: amr.includes('mfa'),
  };
};
