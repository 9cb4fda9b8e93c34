/**
 * Compares a pair with plain decoding, on a part of its requests. Pure; the child process loads it,
 * so it imports types only.
 */
import type { Comparison } from './speculative.protocol.js';

/** Of one request, decoded twice. Times have the prompt's last token in them, not its reading. */
export interface ComparedRequest {
  readonly tokens: number;
  readonly speculativeMs: number;
  readonly plainTokens: number;
  readonly plainMs: number;
}

/** The ratio forgets older requests than these. */
const REQUESTS_MAX = 16;

export class PairComparison {
  private readonly share: number;
  private readonly latest: ComparedRequest[] = [];
  private decodedMs = 0;
  private comparedMs = 0;

  /** @param share the part of the decoding time that comparisons may take, 0 to 1 */
  constructor(share: number) {
    this.share = share;
  }

  /** Counts a request, whether it is compared or not. */
  decoded(ms: number): void {
    this.decodedMs += ms;
  }

  /** Whether `tokens` more tokens may be decoded again. The first comparison is always due. */
  isDue(tokens: number): boolean {
    if (this.share === 0 || tokens === 0) return false;
    const last = this.latest.at(-1);
    if (last === undefined) return true;
    const expectedMs = (last.plainMs / last.plainTokens) * tokens;
    return this.comparedMs + expectedMs <= this.share * this.decodedMs;
  }

  record(request: ComparedRequest): void {
    this.comparedMs += request.plainMs;
    this.latest.push(request);
    if (this.latest.length > REQUESTS_MAX) this.latest.shift();
  }

  /** Null before the first comparison. */
  get result(): Comparison | null {
    let [plainMs, speculativeMs] = [0, 0];
    for (const one of this.latest) {
      plainMs += (one.plainMs / one.plainTokens) * one.tokens;
      speculativeMs += one.speculativeMs;
    }
    if (speculativeMs === 0) return null;
    return { speedup: plainMs / speculativeMs, requests: this.latest.length };
  }
}
