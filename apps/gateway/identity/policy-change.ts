import { type PolicyChange } from '#areas/identity/keys/key-policy.js';
import { instantOf } from '../fields/instant.validator.js';
import { type KeyPolicyDto } from './api-keys.dto.js';

/** The terms that a caller asks for; a field that is left out is left out here. */
export const changeOf = ({
  scopes,
  models,
  routes,
  ip_ranges: ipRanges,
  expires_at: end,
}: KeyPolicyDto): { readonly policy: PolicyChange; readonly endsAt?: string } => {
  const endsAt = end == null ? null : instantOf(end);
  return {
    policy: {
      ...(scopes != null && { scopes: [...scopes] }),
      ...(models != null && { models: [...models] }),
      ...(routes != null && { routes: [...routes] }),
      ...(ipRanges != null && { ipRanges: [...ipRanges] }),
    },
    ...(endsAt !== null && { endsAt }),
  };
};
