import { type TokenPrice } from '#events/token-price.vocabulary.js';

/** The rig and the key that answered a session last, and the size of that answer. */
export interface WarmSession {
  readonly rig: string;
  /** The place of the key among the keys of the rig; undefined where it has one or none. */
  readonly key: number | undefined;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly atMs: number;
}

/** Whose session it is, and of which model: caches of providers belong to a model. */
export interface SessionPlace {
  readonly account: string;
  readonly model: string;
  /** A keyed hash. */
  readonly session: string;
}

/** Providers keep a prompt for 5 minutes at least, and for 10 where it is used again. */
export const WARM_MS = 600_000;
/** Sessions that are remembered of one account; the oldest goes first. */
export const ACCOUNT_SESSIONS_MAX = 1_000;
/** Of all accounts; the oldest of the account that was served longest ago goes first. */
export const SESSIONS_MAX = 50_000;
/** No provider caches a shorter prompt. */
export const CACHED_TOKENS_MIN = 1_024;

/** Remembers for ten minutes which rig and key have the prompt of a session in their cache. */
export class WarmSessions {
  readonly #accounts = new Map<string, Map<string, WarmSession>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  find({ account, ...place }: SessionPlace, nowMs: number): WarmSession | undefined {
    const found = this.#accounts.get(account)?.get(nameOf(place));
    return found && nowMs - found.atMs < WARM_MS ? found : undefined;
  }

  remember({ account, ...place }: SessionPlace, session: WarmSession): void {
    const sessions = this.#accounts.get(account) ?? new Map<string, WarmSession>();
    const name = nameOf(place);
    if (sessions.delete(name)) this.#size -= 1;
    sessions.set(name, session);
    this.#size += 1;
    this.#accounts.delete(account);
    this.#accounts.set(account, sessions);
    if (sessions.size > ACCOUNT_SESSIONS_MAX) this.#dropOldest(account, sessions);
    if (this.#size <= SESSIONS_MAX) return;
    const [oldest] = this.#accounts;
    if (oldest) this.#dropOldest(...oldest);
  }

  #dropOldest(account: string, sessions: Map<string, WarmSession>): void {
    const [oldest] = sessions.keys();
    if (oldest !== undefined && sessions.delete(oldest)) this.#size -= 1;
    if (sessions.size === 0) this.#accounts.delete(account);
  }
}

const nameOf = ({ model, session }: Omit<SessionPlace, 'account'>): string => `${session} ${model}`;

/** Prices of a rig without a purchase price, in relation to each other. */
const USUAL = { input: 1, output: 4, cached: 0.1 } as const;

/**
 * The part of a session's last answer, 0 to 1, that the cache of the rig would have saved: the
 * prompt at the price of cached tokens instead of fresh ones. The next prompt begins with it.
 */
export const savingOf = (
  { promptTokens, completionTokens }: Pick<WarmSession, 'promptTokens' | 'completionTokens'>,
  price: TokenPrice | null | undefined,
): number => {
  if (promptTokens < CACHED_TOKENS_MIN) return 0;
  const { input, output, cached } = pricesOf(price);
  const saved = promptTokens * Math.max(0, input - cached);
  return saved / (promptTokens * input + completionTokens * output);
};

const pricesOf = (price: TokenPrice | null | undefined) => {
  const input = Number(price?.inputMicroUsdPerMtok ?? 0);
  if (!price || input === 0) return USUAL;
  return {
    input,
    output: Number(price.outputMicroUsdPerMtok),
    cached: Number(price.classes?.cache_read_tokens ?? input),
  };
};
