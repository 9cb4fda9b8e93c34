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

/** `sub` is the user id in decimal, `jti` the session id, `exp` seconds since the Unix epoch. */
const Claims = z.object({
  sub: z
    .string()
    .regex(/^[1-9]\d*$/)
    .transform(Number)
    .pipe(UserId),
  jti: z.uuid(),
  exp: z.int().positive(),
});

/** Whose token it is. */
export interface AppTokenOwner {
  readonly userId: UserId;
  readonly sessionId: string;
}

export interface AppTokenClaims extends AppTokenOwner {
  /** The token is valid before this instant; milliseconds since the Unix epoch. */
  readonly expiresAtMs: number;
}

/** Null for claims of another shape. */
export const readClaims = (payload: unknown): AppTokenClaims | null => {
  const parsed = Claims.safeParse(payload);
  if (!parsed.success) return null;
  const { sub: userId, jti: sessionId, exp } = parsed.data;
  return { userId, sessionId, expiresAtMs: exp * 1_000 };
};

/** The JWT inside an app token, or null for any other text. */
export const stripPrefix = (token: string): string | null =>
  token.startsWith(CREDENTIAL_PREFIXES.app) ? token.slice(CREDENTIAL_PREFIXES.app.length) : null;

/**
 * Signs and verifies app tokens: `svc_app_` and a JWT (HS256). A valid signature proves only that
 * Quipu issued the token; the event log says whether its session is active.
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
  sign({ userId, sessionId }: AppTokenOwner, expiresAtMs: number): string {
    const iat = Math.floor(this.clock.now() / 1_000);
    const exp = Math.floor(expiresAtMs / 1_000);
    const jwt = this.#jwt.sign(
      { sub: String(userId), jti: sessionId, iat, exp },
      {
        secret: this.#key,
        algorithm: APP_TOKEN_ALGORITHM,
        issuer: APP_TOKEN_ISSUER,
        audience: APP_TOKEN_AUDIENCE,
      },
    );
    return CREDENTIAL_PREFIXES.app + jwt;
  }

  /** Null unless the signature is valid and the token has not expired. */
  read(token: string): AppTokenClaims | null {
    const jwt = stripPrefix(token);
    if (jwt === null) return null;
    try {
      const payload: unknown = this.#jwt.verify(jwt, {
        secret: this.#key,
        algorithms: [APP_TOKEN_ALGORITHM],
        issuer: APP_TOKEN_ISSUER,
        audience: APP_TOKEN_AUDIENCE,
        clockTimestamp: Math.floor(this.clock.now() / 1_000),
      });
      return readClaims(payload);
    } catch {
      // Every kind of invalid token gets the same answer.
      return null;
    }
  }
}
