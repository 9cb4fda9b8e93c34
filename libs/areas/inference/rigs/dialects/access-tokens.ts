import { request } from 'undici';
import { boundedBytes } from '#platform/kernel/bounded-bytes.js';
import { type Clock, systemClock } from '#platform/kernel/clock.js';
import { RigError } from '../chat-backend.js';
import { parseObject } from '../parsed-object.js';
import { type Credential } from './dialect.js';
import { bearer } from './credentials.js';

/** Where access tokens are issued, and what is sent there for one. */
export interface TokenIssuer {
  /** For messages. */
  readonly name: string;
  readonly url: string;
  /** The form of one request, which may have to be signed. */
  readonly form: () => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
}

interface AccessToken {
  readonly headers: Readonly<Record<string, string>>;
  /** From then on, another one is fetched. */
  readonly refreshedAtMs: number;
  readonly expiresAtMs: number;
}

/** For the whole answer of the issuer. */
const TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 65_536;
/** A token is replaced this long before it expires, while requests still use it. */
const EARLY_MS = 300_000;
/** A token that ends sooner could end before a request has arrived. */
const LEFT_MS_MIN = 30_000;

/**
 * OAuth access tokens as the credential of a rig (RFC 6749). One token serves all requests until
 * shortly before it expires, and one refresh runs at a time. A failed refresh fails no request as
 * long as the old token lasts.
 */
export class AccessTokens implements Credential {
  #token: AccessToken | null = null;
  #refresh: Promise<AccessToken> | null = null;

  constructor(
    private readonly rig: string,
    private readonly issuer: TokenIssuer,
    private readonly clock: Clock = systemClock,
  ) {}

  headersFor(): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>> {
    const token = this.#token;
    const nowMs = this.clock.now();
    if (token === null || token.expiresAtMs - nowMs <= LEFT_MS_MIN) {
      return this.#refreshed().then(headersOf);
    }
    // A failure is reported by a request that finds no valid token.
    if (nowMs >= token.refreshedAtMs) this.#refreshed().catch(() => undefined);
    return token.headers;
  }

  rejected(): void {
    this.#token = null;
  }

  #refreshed(): Promise<AccessToken> {
    this.#refresh ??= this.#issued()
      .then((token) => (this.#token = token))
      .finally(() => (this.#refresh = null));
    return this.#refresh;
  }

  /** @throws RigError `failed` that names the rig, and no secret */
  async #issued(): Promise<AccessToken> {
    const askedAtMs = this.clock.now();
    const { rig, issuer } = this;
    const body = new URLSearchParams(await issuer.form()).toString();
    const { status, answer } = await posted(issuer.url, body).catch((cause: unknown) => {
      throw new RigError('failed', `rig ${rig}: ${issuer.name} cannot be reached`, { cause });
    });
    const { access_token: token, expires_in: seconds, error } = answer;
    const lifeMs = Number(seconds) * 1_000;
    if (status === 200 && isToken(token) && lifeMs > 0) {
      const expiresAtMs = askedAtMs + lifeMs;
      const earlyMs = Math.min(EARLY_MS, lifeMs / 2);
      return { headers: bearer(token), expiresAtMs, refreshedAtMs: expiresAtMs - earlyMs };
    }
    const reason = typeof error === 'string' ? ` (${error})` : '';
    const message = `rig ${rig}: ${issuer.name} issued no token: status ${status}${reason}`;
    throw new RigError('failed', message, { status: 401 });
  }
}

const isToken = (token: unknown): token is string =>
  typeof token === 'string' && /^[\x21-\x7e]{1,16384}$/.test(token);

const headersOf = ({ headers }: AccessToken): Readonly<Record<string, string>> => headers;

const tooLong = (): Error => new Error('the answer is too long');

const posted = async (url: string, body: string) => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await request(url, { method: 'POST', headers, body, signal });
  const bytes = await boundedBytes(response.body, ANSWER_BYTES_MAX, tooLong);
  const answer = parseObject(bytes.toString('utf8'));
  return { status: response.statusCode, answer: answer ?? {} };
};
