import { type ApiKeyState } from '../keys/api-key.decider.js';
import { PolicyLists } from '../keys/key-policy.js';
import { keptFor } from '../keys/list-api-keys.handler.js';
import { type Credential } from './caller.js';
import { keyIdOf } from './credentials.js';

type IssuedKey = Exclude<ApiKeyState, { readonly status: 'absent' }>;

/**
 * An API key as a credential: made once for all requests until the key changes.
 * @param id the hash of the key
 */
export const credentialOf = (
  { keyKind, lineage, sessionId, policy, cacheSeconds }: IssuedKey,
  id: string,
): Credential => {
  const lists = PolicyLists.of(policy);
  return {
    kind: keyKind === 'user' ? 'api_key' : 'renter_key',
    id,
    keyId: lineage ?? keyIdOf(id),
    policy,
    ...(lists && { lists }),
    ...keptFor(cacheSeconds),
    ...(sessionId !== null && { sessionId }),
  };
};
