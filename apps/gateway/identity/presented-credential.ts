import { type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { consoleCredential } from './console-cookie.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the guards in this folder. */
    caller?: Caller;
  }
}

const SCHEME = 'Bearer';
const BEARER = /^Bearer +[^\s]+ *$/i;

/**
 * The credential of a request: `Authorization: Bearer <token>`, or else `X-API-KEY: <token>`, or
 * else the cookie of a console session. Null if it has none; other schemes of `Authorization` are
 * ignored.
 * @throws HttpFailure 403 for a write by a cookie without its token
 */
export const presentedCredential = (
  request: Pick<FastifyRequest, 'headers' | 'method'>,
): string | null => {
  const { authorization, 'x-api-key': key, cookie } = request.headers;
  if (authorization !== undefined && BEARER.test(authorization)) {
    return authorization.slice(SCHEME.length).trim();
  }
  if (typeof key === 'string' && key !== '') return key;
  return cookie === undefined ? null : consoleCredential(request);
};
