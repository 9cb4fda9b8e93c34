import { request } from 'undici';
import { type Clock } from '#platform/kernel/clock.js';
import { RigError } from '../../chat-backend.js';
import { isObject } from '../../token-usage.js';
import { bearer, secretIn, type SecretValue } from '../credentials.js';
import { type Credential } from '../dialect.js';

export interface EntraOptions {
  readonly rig: string;
  readonly tenant: string;
  readonly clientId: string;
  readonly clientSecret: SecretValue;
  readonly scope: string;
  /** Of the service that issues tokens. */
  readonly authority: string;
  readonly clock: Clock;
}

interface Token {
  readonly headers: Readonly<Record<string, string>>;
  readonly refreshedAtMs: number;
}

/** A token is refreshed this long before it ends, in which a request may still use the old one. */
const MARGIN_MS = 300_000;
const TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 65_536;

/**
 * A token of Microsoft Entra by the client's credentials. It is kept until shortly before its end,
 * fetched once for all requests that wait for it, and again when the provider rejects it.
 */
export const entraCredential = (options: EntraOptions): Credential => {
  const { clock } = options;
  let current: Promise<Token> | null = null;
  const fetched = (): Promise<Token> => {
    const fetching = fetchToken(options);
    current = fetching;
    fetching.catch(() => {
      if (current === fetching) current = null;
    });
    return fetching;
  };
  return {
    headersFor: async () => {
      const known = current ?? fetched();
      const token = await known;
      if (clock.now() < token.refreshedAtMs) return token.headers;
      // Another request may have begun to fetch the next one.
      const next = current === null || current === known ? fetched() : current;
      return (await next).headers;
    },
    rejected: () => {
      current = null;
    },
  };
};

/** @throws RigError `failed` that names the rig, and no secret */
const fetchToken = async (options: EntraOptions): Promise<Token> => {
  const { rig, tenant, clientId, clientSecret, scope, authority, clock } = options;
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: await secretIn(rig, clientSecret),
    scope,
  }).toString();
  const { status, answer } = await posted(`${authority}/${tenant}/oauth2/v2.0/token`, body).catch(
    (cause: unknown) => {
      throw new RigError('failed', `rig ${rig}: Microsoft Entra cannot be reached`, { cause });
    },
  );
  const { access_token: token, expires_in: seconds, error } = answer;
  if (status === 200 && typeof token === 'string' && Number.isFinite(Number(seconds))) {
    const lifeMs = Number(seconds) * 1e3;
    const refreshedAtMs = clock.now() + lifeMs - Math.min(MARGIN_MS, lifeMs / 2);
    return { headers: bearer(token), refreshedAtMs };
  }
  const reason = typeof error === 'string' ? ` (${error})` : '';
  const message = `rig ${rig}: Microsoft Entra issued no token: status ${status}${reason}`;
  throw new RigError('failed', message, { status: 401 });
};

const posted = async (url: string, body: string) => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await request(url, { method: 'POST', headers, body, signal });
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of response.body as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > ANSWER_BYTES_MAX) throw new Error('the answer is too long');
    pieces.push(piece);
  }
  const answer: unknown = JSON.parse(Buffer.concat(pieces).toString('utf8'));
  return { status: response.statusCode, answer: isObject(answer) ? answer : {} };
};
