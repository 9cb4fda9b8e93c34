import { z } from 'zod';

/** Types that the events of partners, investors and payouts share. */

/** 1, 2, …, in the order of registration. */
export const PartnerId = z.int().positive().brand<'PartnerId'>();
export type PartnerId = z.infer<typeof PartnerId>;

/** A partner's name in addresses. */
export const PartnerSlug = z.string().regex(/^[a-z][a-z0-9-]{0,62}$/);

/** Hundredths of a percent: 1,750 are 17.5 percent. */
export const BasisPoints = z.int().min(0).max(10_000);

const HexColor = z.string().regex(/^#[0-9a-f]{6}$/);

/** The colours of a partner's pages. */
export const Branding = z.strictObject({
  primaryColor: HexColor,
  accentColor: HexColor,
  bodyBgColor: HexColor,
  cardBgColor: HexColor,
});
export type Branding = z.infer<typeof Branding>;

/** `manager`: acts for the partner. `sub_user`: its charges earn for the partner. */
export const Capacity = z.enum(['manager', 'sub_user']);
export type Capacity = z.infer<typeof Capacity>;
