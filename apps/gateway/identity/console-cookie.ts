import { isIP } from 'node:net';
import { type FastifyRequest } from 'fastify';
import { readClaims } from '#areas/identity/sessions/app-tokens.js';
import { CREDENTIAL_PREFIXES } from '#areas/identity/authentication/credentials.js';
import { csrfTokenInvalid, pageNotAllowed } from './identity.failures.js';

/** Browsers take a name with this prefix only from a trustworthy origin, and for it alone. */
const NAME = '__Host-quipu-console';
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Strict';
const COOKIE = new RegExp(`(?:^|; )${NAME}=(${CREDENTIAL_PREFIXES.console}[\\w.-]+)(?:;|$)`);
const READS: readonly string[] = ['GET', 'HEAD'];

/** A console session ends when it is unused for this time. */
export const IDLE_SECONDS = 1_800;

/** The header that sets the cookie. */
export const consoleCookie = (token: string): string =>
  `${NAME}=${token}; ${ATTRIBUTES}; Max-Age=${IDLE_SECONDS}`;

/** The header that removes it. */
export const NO_CONSOLE_COOKIE = `${NAME}=; ${ATTRIBUTES}; Max-Age=0`;

type PageRequest = Pick<FastifyRequest, 'headers' | 'method'>;

/** Whether a page of this gateway sent the request: no page can change this header. */
const isOfOwnPage = ({ headers }: PageRequest): boolean =>
  headers['sec-fetch-site'] === 'same-origin';

/** @throws HttpFailure `origin_not_allowed` */
export const demandOwnPage = (request: PageRequest): void => {
  if (!isOfOwnPage(request)) throw pageNotAllowed();
};

/**
 * The token of the cookie of a request that a page of this gateway sent; null for another request.
 * @throws HttpFailure `csrf_token_invalid` for a write without the CSRF token of the cookie
 */
export const consoleCredential = (request: PageRequest): string | null => {
  const token = COOKIE.exec(request.headers.cookie ?? '')?.[1];
  if (token === undefined || !isOfOwnPage(request)) return null;
  if (!READS.includes(request.method)) {
    const csrfToken = csrfTokenIn(token);
    if (csrfToken === null || csrfToken !== request.headers['x-csrf-token']) {
      throw csrfTokenInvalid();
    }
  }
  return token;
};

/** From the claims, whose signature is verified when the token is. */
const csrfTokenIn = (token: string): string | null => {
  try {
    const [, payload = ''] = token.split('.');
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    return readClaims(claims)?.csrfToken ?? null;
  } catch {
    return null;
  }
};

/**
 * Why a browser must not send a password over the connection of a request; null if it may. A
 * browser that names its own machine as the host has not left it: the address of the sender is
 * another one behind a container's network or a tunnel.
 */
export const insecurityOf = ({
  protocol,
  hostname,
}: Pick<FastifyRequest, 'protocol' | 'hostname'>): string | null => {
  if (protocol === 'https' || isLoopback(hostname)) return null;
  return (
    'Sign in over https, or on the machine of the gateway at http://localhost: others could read ' +
    'the password on this connection. Behind a proxy that ends https, name the proxy in ' +
    'QUIPU_TRUST_PROXY.'
  );
};

const isLoopback = (host: string): boolean => {
  const bare = host.replace(/^\[|\]$/g, '');
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
};
