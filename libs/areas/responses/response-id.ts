import { derivedId } from '#platform/runtime/derived-id.js';

export const RESPONSE_PREFIX = 'resp_';

/** One request always names the same response. */
export const responseIdOf = (requestId: string): string =>
  `${RESPONSE_PREFIX}${derivedId('response', requestId).replaceAll('-', '')}`;
