import { type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the guards in this folder. */
    caller?: Caller;
  }
}

const BEARER = /^Bearer +([^\s]+) *$/i;

/**
 * The credential of a request: `Authorization: Bearer <token>`, or else `X-API-KEY: <token>`. Null
 * if it has neither; other schemes of `Authorization` are ignored.
 */
export const presentedCredential = ({
  headers,
}: Pick<FastifyRequest, 'headers'>): string | null => {
  const { authorization } = headers;
  if (authorization !== undefined) {
    const token = BEARER.exec(authorization)?.[1];
    if (token !== undefined) return token;
  }
  const key = headers['x-api-key'];
  return typeof key === 'string' && key !== '' ? key : null;
};
