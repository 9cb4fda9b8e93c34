import { randomBytes } from 'node:crypto';
import { withoutTrailing } from '#platform/kernel/trailing.js';

/**
 * argon2id with the parameters of OWASP's password storage cheat sheet: 19 MiB, two passes, one
 * lane. About 20 ms of one core. The hash names its parameters, so they can be raised later.
 */
export const ARGON2_PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Each occupies a thread of libuv's pool, which file and DNS operations share. */
const CONCURRENT_MAX = 2;
/** About two seconds of work. */
export const PASSWORDS_WAITING_MAX = 200;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** The used part of `@node-rs/argon2`; its default algorithm is argon2id. */
export interface Argon2 {
  hash(password: string, parameters: typeof ARGON2_PARAMETERS): Promise<string>;
  verify(phc: string, password: string): Promise<boolean>;
}

/** Too many passwords wait already; nothing was checked. */
export class PasswordsBusyError extends Error {
  override readonly name = 'PasswordsBusyError';

  constructor() {
    super(`${PASSWORDS_WAITING_MAX} passwords wait to be checked`);
  }
}

/** Hashes and verifies passwords, at most two at a time; others queue. */
export class Passwords {
  readonly #load: () => Promise<Argon2>;
  /** The hash of a random password: verifying against it costs as much as any verification. */
  readonly #decoy: string;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** @param load native code, so it is loaded with the first password instead of at the start */
  constructor(load: () => Promise<Argon2> = () => import('@node-rs/argon2')) {
    this.#load = load;
    const { memoryCost, timeCost, parallelism } = ARGON2_PARAMETERS;
    const parameters = `m=${memoryCost},t=${timeCost},p=${parallelism}`;
    const [salt, digest] = [randomBytes(SALT_BYTES), randomBytes(HASH_BYTES)].map(unpadded);
    this.#decoy = `$argon2id$v=19$${parameters}$${salt ?? ''}$${digest ?? ''}`;
  }

  /**
   * @returns the hash in PHC form
   * @throws PasswordsBusyError
   */
  hash(password: string): Promise<string> {
    return this.#inTurn(async () => (await this.#load()).hash(password, ARGON2_PARAMETERS));
  }

  /**
   * @param phc null for an unknown user: the same work is done, and the answer is false
   * @throws PasswordsBusyError
   */
  verify(phc: string | null, password: string): Promise<boolean> {
    return this.#inTurn(async () => {
      const matches = await (await this.#load()).verify(phc ?? this.#decoy, password);
      return matches && phc !== null;
    });
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#waiting.length >= PASSWORDS_WAITING_MAX) throw new PasswordsBusyError();
    if (this.#running >= CONCURRENT_MAX) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running += 1;
    }
    try {
      return await work();
    } finally {
      // The slot passes to the oldest waiting call, so the count stays.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}

const unpadded = (bytes: Buffer): string => withoutTrailing(bytes.toString('base64'), '=');
