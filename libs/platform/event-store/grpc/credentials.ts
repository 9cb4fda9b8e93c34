import { createHash } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import { accessDenied, CallError } from './call-errors.js';

/**
 * How long a credential that was accepted is not asked about again, and how often a call that stays
 * open is: together they bound how long a revoked key still opens something.
 */
export const ACCEPTED_FOR_MS = 500;

/** Accepted credentials that are remembered. */
const REMEMBERED_MAX = 1_024;

export type Authenticate = (username: string, password: string) => Promise<boolean>;

/** Decides by the `authorization` header of a call. Holds digests, never the header itself. */
export class Credentials {
  readonly #authenticate: Authenticate;
  /** Until when, on the monotonic clock; oldest first. */
  readonly #accepted = new Map<string, number>();
  readonly #asking = new Map<string, Promise<boolean>>();

  constructor(authenticate: Authenticate) {
    this.#authenticate = authenticate;
  }

  /** @throws CallError for a caller who is no Admin, and when credentials cannot be checked */
  async check(header: string): Promise<void> {
    const digest = createHash('sha256').update(header).digest('base64');
    if ((this.#accepted.get(digest) ?? 0) > performance.now()) return;
    const asking = this.#asking.get(digest) ?? this.#ask(digest, header);
    if (!(await asking)) throw accessDenied();
  }

  #ask(digest: string, header: string): Promise<boolean> {
    const asking = this.#decide(digest, header).finally(() => this.#asking.delete(digest));
    this.#asking.set(digest, asking);
    return asking;
  }

  async #decide(digest: string, header: string): Promise<boolean> {
    const credential = parseBasic(header);
    if (credential === null) return false;
    this.#accepted.delete(digest);
    // Counted from when it was asked: the answer is not younger than that.
    const until = performance.now() + ACCEPTED_FOR_MS;
    const accepted = await this.#asked(credential);
    if (accepted) this.#remember(digest, until);
    return accepted;
  }

  async #asked({ username, password }: BasicCredential): Promise<boolean> {
    try {
      return await this.#authenticate(username, password);
    } catch {
      throw new CallError(status.UNAVAILABLE, 'credentials cannot be checked now');
    }
  }

  #remember(digest: string, until: number): void {
    this.#accepted.set(digest, until);
    if (this.#accepted.size <= REMEMBERED_MAX) return;
    for (const oldest of this.#accepted.keys()) {
      this.#accepted.delete(oldest);
      return;
    }
  }
}

interface BasicCredential {
  readonly username: string;
  readonly password: string;
}

const BASIC = /^basic +([A-Za-z0-9+/]+={0,2})$/i;

const parseBasic = (header: string): BasicCredential | null => {
  const [, encoded] = BASIC.exec(header) ?? [];
  if (encoded === undefined) return null;
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (colon < 0) return null;
  return { username: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
};
