import { type Caller } from './caller.js';

const CALLERS_MAX = 10_000;
const KEPT_MS = 60_000;

interface KnownCaller {
  readonly caller: Caller;
  readonly expiresAtMs: number;
}

/**
 * The callers of API keys, by the key as it was sent: one look-up in place of a hash, three
 * look-ups and a new caller. Its owner forgets all of them when any state of an identity changes.
 * The keys are secrets, so none is kept for more than a minute of requests. A look-up leaks nothing
 * through its timing: V8 compares texts whose hashes are equal, and its hashes have a random seed.
 */
export class KnownCallers {
  readonly #callers = new Map<string, KnownCaller>();
  #forgetAtMs = 0;

  find(key: string, nowMs: number): Caller | undefined {
    if (nowMs >= this.#forgetAtMs) this.forgetAll();
    const known = this.#callers.get(key);
    return known !== undefined && nowMs < known.expiresAtMs ? known.caller : undefined;
  }

  keep(key: string, caller: Caller, expiresAtMs: number, nowMs: number): void {
    if (this.#callers.size >= CALLERS_MAX) this.forgetAll();
    if (this.#callers.size === 0) this.#forgetAtMs = nowMs + KEPT_MS;
    this.#callers.set(key, { caller, expiresAtMs });
  }

  forgetAll(): void {
    this.#callers.clear();
  }
}
