import { Inject, Injectable } from '@nestjs/common';
import { CLOCK } from '#platform/runtime/tokens.js';
import { JwtService } from '@nestjs/jwt';
import { z } from 'zod';
import { UserId } from '#events/vocabulary.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';
import { CREDENTIAL_PREFIXES } from '../authentication/credentials.js';

/** The purpose of the key that signs app tokens. */
export const APP_TOKEN_KEY = 'app-tokens';
export const APP_TOKEN_ISSUER = 'quipu';
export const APP_TOKEN_AUDIENCE = 'quipu-app';
export const APP_TOKEN_ALGORITHM = 'HS256';
const CONSOLE_AUDIENCE = 'quipu-console';

/**
 * `sub` is the user id in decimal, `jti` the session id, `exp` seconds since the Unix epoch; `csrf`
 * is in console tokens.
 */
const Claims = z.object({
  aud: z.enum([APP_TOKEN_AUDIENCE, CONSOLE_AUDIENCE]),
  sub: z
    .string()
    .regex(/^[1-9]\d*$/)
    .transform(Number)
    .pipe(UserId),
  jti: z.uuid(),
  exp: z.int().positive(),
  csrf: z.string().optional(),
});

/** Whose token it is. */
export interface AppTokenOwner {
  readonly userId: UserId;
  readonly sessionId: string;
}

export interface AppTokenClaims extends AppTokenOwner {
  readonly kind: 'app_token' | 'console_session';
  /** The token is valid before this instant; milliseconds since the Unix epoch. */
  readonly expiresAtMs: number;
  /** Of a console session: the proof that a write comes from a page that can read answers. */
  readonly csrfToken: string | null;
}

/** Null for claims of another shape. */
export const readClaims = (payload: unknown): AppTokenClaims | null => {
  const parsed = Claims.safeParse(payload);
  if (!parsed.success) return null;
  const { aud, sub: userId, jti: sessionId, exp, csrf: csrfToken = null } = parsed.data;
  const kind = aud === APP_TOKEN_AUDIENCE ? 'app_token' : 'console_session';
  return { kind, userId, sessionId, expiresAtMs: exp * 1_000, csrfToken };
};

/** The JWT inside an app token, or null for any other text. */
export const stripPrefix = (token: string): string | null =>
  token.startsWith(CREDENTIAL_PREFIXES.app) ? token.slice(CREDENTIAL_PREFIXES.app.length) : null;

const { app: APP, console: CONSOLE } = CREDENTIAL_PREFIXES;

/**
 * Signs and verifies app tokens, `svc_app_` and a JWT (HS256), and the tokens of console sessions,
 * `svc_con_` and a JWT of another audience. A valid signature proves only that Quipu issued the
 * token; the event log says whether its session is active.
 */
@Injectable()
export class AppTokens {
  readonly #jwt = new JwtService();

  /** 32 bytes. */
  readonly #key: Buffer;

  constructor(
    @Inject(SECRETS) secrets: Pick<Secrets, 'key'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.#key = secrets.key(APP_TOKEN_KEY);
  }

  /** @param expiresAtMs since the Unix epoch */
  sign(owner: AppTokenOwner, expiresAtMs: number): string {
    return APP + this.#sign(owner, expiresAtMs, APP_TOKEN_AUDIENCE);
  }

  /**
   * @param expiresAtMs since the Unix epoch
   * @param csrf the same in every token of the session
   */
  signConsole(owner: AppTokenOwner, expiresAtMs: number, csrf: string): string {
    return CONSOLE + this.#sign(owner, expiresAtMs, CONSOLE_AUDIENCE, { csrf });
  }

  /** Null unless the signature is valid and the token has not expired. */
  read(token: string): AppTokenClaims | null {
    const isConsole = token.startsWith(CONSOLE);
    const jwt = isConsole ? token.slice(CONSOLE.length) : stripPrefix(token);
    if (jwt === null) return null;
    try {
      const payload: unknown = this.#jwt.verify(jwt, {
        secret: this.#key,
        algorithms: [APP_TOKEN_ALGORITHM],
        issuer: APP_TOKEN_ISSUER,
        audience: isConsole ? CONSOLE_AUDIENCE : APP_TOKEN_AUDIENCE,
        clockTimestamp: Math.floor(this.clock.now() / 1_000),
      });
      return readClaims(payload);
    } catch {
      // Every kind of invalid token gets the same answer.
      return null;
    }
  }

  #sign(
    { userId, sessionId }: AppTokenOwner,
    expiresAtMs: number,
    audience: string,
    claims: { readonly csrf?: string } = {},
  ): string {
    const iat = Math.floor(this.clock.now() / 1_000);
    const exp = Math.floor(expiresAtMs / 1_000);
    return this.#jwt.sign(
      { sub: String(userId), jti: sessionId, iat, exp, ...claims },
      {
        secret: this.#key,
        algorithm: APP_TOKEN_ALGORITHM,
        issuer: APP_TOKEN_ISSUER,
        audience,
      },
    );
  }
}
