import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { Instant } from '../vocabulary.js';
import { TenantSlug } from './identity.vocabulary.js';

/** The complete definition; the latest event is in effect. */
export const TenantDefined = defineEvent('TenantDefined', {
  version: 1,
  schema: z.strictObject({
    slug: TenantSlug,
    name: z.string().min(1).max(100),
    primaryColor: z.string().regex(/^#[0-9a-f]{6}$/),
    /** The web host that the tenant's users see. */
    baseUrl: z.url({ protocol: /^https?$/ }),
    definedAt: Instant,
  }),
});
export type TenantDefined = EventOf<typeof TenantDefined>;

export type TenantEvent = TenantDefined;

export const tenantEvents = [TenantDefined] as const;
