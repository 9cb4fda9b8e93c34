import { Inject, Injectable } from '@nestjs/common';
import { type UserId } from '#events/vocabulary.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';
import { createHmac, randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { type Clock } from '#platform/kernel/clock.js';
import { PersonalData } from '../users/personal-data.js';
import { type Proof, type TwoFactor } from '../users/user.decider.js';

/** RFC 6238 with the parameters of common authenticator apps: SHA-1, six digits, steps of 30 s. */
const TOTP_PARAMETERS = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
const STEP_MS = TOTP_PARAMETERS.period * 1_000;
/** Accepted steps before and after the current one, for clock skew. */
const WINDOW_STEPS = 1;
/** `otpauth` throws for six characters of more than six bytes. */
const ONE_TIME_CODE = /^[0-9]{6}$/;
const SECRET_BYTES = 20;
const ISSUER = 'Quipu';

export const RECOVERY_CODES = 10;
/** 80 random bits in base32 (RFC 4648), in groups of four. */
const RECOVERY_CODE_BYTES = 10;
const RECOVERY_CODE = /^[a-z2-7]{16}$/;

export interface RecoveryCodes {
  /** Shown once; only the hashes are stored. */
  readonly codes: readonly string[];
  readonly hashes: readonly string[];
}

/** Generates and checks one-time codes and recovery codes; the event log says which were used. */
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

  /** The `otpauth://` URI for an authenticator app, usually shown as a QR code. */
  keyUri(secret: string, username: string): string {
    return totpOf(secret, username).toString();
  }

  newRecoveryCodes(userId: UserId): RecoveryCodes {
    const codes = Array.from({ length: RECOVERY_CODES }, () =>
      base32(randomBytes(RECOVERY_CODE_BYTES))
        .toLowerCase()
        .replace(/.{4}(?=.)/g, '$&-'),
    );
    return { codes, hashes: codes.map((code) => this.#recoveryHash(userId, code)) };
  }

  /** The factor that `code` proves. An invalid code proves nothing. */
  async proofOf(userId: UserId, twoFactor: TwoFactor, code: string): Promise<Proof> {
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

  /** Keyed, so that codes cannot be guessed from the event log alone. */
  #recoveryHash(userId: UserId, code: string): string {
    const compact = code.replaceAll('-', '');
    return createHmac('sha256', this.#recoveryKey).update(`${userId}\n${compact}`).digest('hex');
  }
}

/**
 * The time step of a code, among those accepted now; null if the code belongs to none.
 * @param secret base32
 * @param atMs since the Unix epoch
 */
export const stepOf = (secret: string, code: string, atMs: number): number | null => {
  if (!ONE_TIME_CODE.test(code)) return null;
  const checked = { token: code, timestamp: atMs, window: WINDOW_STEPS };
  const delta = totpOf(secret).validate(checked);
  return delta === null ? null : Math.floor(atMs / STEP_MS) + delta;
};

const totpOf = (secret: string, label = ''): TOTP =>
  new TOTP({ ...TOTP_PARAMETERS, issuer: ISSUER, label, secret: Secret.fromBase32(secret) });

const base32 = (bytes: Buffer): string =>
  new Secret({ buffer: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) })
    .base32;
