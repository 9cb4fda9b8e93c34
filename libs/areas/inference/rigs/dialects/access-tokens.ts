import { request } from 'undici';
import { type Clock, systemClock } from '#platform/kernel/clock.js';
import { RigError } from '../chat-backend.js';
import { parseObject } from '../parsed-object.js';
import { type Credential } from './dialect.js';
import { bearer } from './credentials.js';

/** Where access tokens are issued, and what is sent there for one. */
export interface TokenIssuer {
  readonly url: string;
  /** The form of one request, which may have to be signed. */
  readonly form: () => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
}

interface AccessToken {
  readonly headers: Readonly<Record<string, string>>;
  readonly expiresAtMs: number;
}

/** For the whole answer of the issuer. */
const TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 65_536;
/** A token is replaced this long before it expires, while requests still use it. */
const EARLY_MS = 300_000;
/** What is left of a token has to last until a request has arrived. */
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
    const leftMs = token === null ? 0 : token.expiresAtMs - this.clock.now();
    if (token === null || leftMs <= LEFT_MS_MIN) return this.#refreshed().then(headersOf);
    if (leftMs <= EARLY_MS) this.#refreshed().catch(() => undefined);
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

  /** @throws RigError `failed`, whose message names the rig and no secret */
  async #issued(): Promise<AccessToken> {
    const askedAtMs = this.clock.now();
    const { status, text } = await this.#answer();
    const { access_token: token, expires_in: seconds } = parseObject(text) ?? {};
    if (status !== 200 || typeof token !== 'string' || !/^[\x21-\x7e]{1,16384}$/.test(token)) {
      const message = `rig ${this.rig} got no access token: the issuer answered with ${status}`;
      throw new RigError('failed', message, { status: 401 });
    }
    const lifeMs = typeof seconds === 'number' && seconds > 0 ? seconds * 1_000 : LEFT_MS_MIN;
    return { headers: bearer(token), expiresAtMs: askedAtMs + lifeMs };
  }

  async #answer(): Promise<{ readonly status: number; readonly text: string }> {
    const body = new URLSearchParams(await this.issuer.form()).toString();
    try {
      const answer = await request(this.issuer.url, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const pieces: Buffer[] = [];
      let bytes = 0;
      for await (const piece of answer.body as AsyncIterable<Buffer>) {
        bytes += piece.length;
        if (bytes > ANSWER_BYTES_MAX) throw new Error('the answer of the issuer is too long');
        pieces.push(piece);
      }
      return { status: answer.statusCode, text: Buffer.concat(pieces).toString('utf8') };
    } catch (cause) {
      const message = `rig ${this.rig} got no access token: the issuer cannot be reached`;
      throw new RigError('failed', message, { cause });
    }
  }
}

const headersOf = ({ headers }: AccessToken): Readonly<Record<string, string>> => headers;
