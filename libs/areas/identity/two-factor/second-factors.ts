import { Inject, Injectable } from '@nestjs/common';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';
import { createHmac, randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { type Clock } from '#platform/kernel/clock.js';
import { PersonalData } from '../users/personal-data.js';
import { type Proof, type TwoFactor } from '../users/user.decider.js';

/** RFC 6238 as authenticator apps know it: SHA-1, six digits, steps of 30 s. */
const TOTP_PARAMETERS = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
const STEP_MS = TOTP_PARAMETERS.period * 1_000;
/** Steps before and after the present one that count, for clocks that differ. */
const WINDOW_STEPS = 1;
const SECRET_BYTES = 20;
const ISSUER = 'Quipu';

export const RECOVERY_CODES = 10;
/** 80 random bits in base32 (RFC 4648), in groups of four. */
const RECOVERY_CODE_BYTES = 10;
const RECOVERY_CODE = /^[a-z2-7]{16}$/;

export interface RecoveryCodes {
  /** The only time they are seen. */
  readonly codes: readonly string[];
  readonly hashes: readonly string[];
}

/** Makes and checks one-time codes and recovery codes; whether one was used is the log's to say. */
@Injectable()
export class SecondFactors {
  /** 32 bytes. */
  readonly #recoveryKey: Buffer;

  constructor(
    private readonly personalData: PersonalData,
    @Inject(SECRETS) secrets: Secrets,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.#recoveryKey = secrets.key('recovery-codes');
  }

  /** 160 random bits in base32, as RFC 4226 recommends. */
  newSecret(): string {
    return base32(randomBytes(SECRET_BYTES));
  }

  /** What an authenticator app reads, mostly as a picture. */
  keyUri(secret: string, username: string): string {
    return totpOf(secret, username).toString();
  }

  newRecoveryCodes(userId: number): RecoveryCodes {
    const codes = Array.from({ length: RECOVERY_CODES }, () =>
      base32(randomBytes(RECOVERY_CODE_BYTES))
        .toLowerCase()
        .replace(/.{4}(?=.)/g, '$&-'),
    );
    return { codes, hashes: codes.map((code) => this.#recoveryHash(userId, code)) };
  }

  /** What `code` proves. A code that is no code proves nothing. */
  async proofOf(userId: number, twoFactor: TwoFactor, code: string): Promise<Proof> {
    if (twoFactor.status === 'off') return { kind: 'none' };
    const compact = code.replace(/[\s-]/g, '').toLowerCase();
    if (RECOVERY_CODE.test(compact)) {
      return { kind: 'recovery_code', recoveryCodeHash: this.#recoveryHash(userId, compact) };
    }
    const { enrolmentId, sealedSecret } = twoFactor;
    const secret = await this.personalData.open(userId, 'two-factor-secret', sealedSecret);
    const step = secret === null ? null : stepOf(secret, compact, this.clock.now());
    return step === null ? { kind: 'none' } : { kind: 'one_time_code', enrolmentId, step };
  }

  /** Keyed, so that the log alone does not let anybody try codes. */
  #recoveryHash(userId: number, code: string): string {
    const compact = code.replaceAll('-', '');
    return createHmac('sha256', this.#recoveryKey).update(`${userId}\n${compact}`).digest('hex');
  }
}

/**
 * The time step whose code this is, of those that count now; null if it is none of them.
 * @param secret base32
 * @param atMs since the Unix epoch
 */
export const stepOf = (secret: string, code: string, atMs: number): number | null => {
  const checked = { token: code, timestamp: atMs, window: WINDOW_STEPS };
  const delta = totpOf(secret).validate(checked);
  return delta === null ? null : Math.floor(atMs / STEP_MS) + delta;
};

const totpOf = (secret: string, label = ''): TOTP =>
  new TOTP({ ...TOTP_PARAMETERS, issuer: ISSUER, label, secret: Secret.fromBase32(secret) });

const base32 = (bytes: Buffer): string =>
  new Secret({ buffer: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) })
    .base32;
