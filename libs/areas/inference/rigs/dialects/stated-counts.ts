import { type UsageDoubt } from '#events/token-usage.vocabulary.js';
import { type TokenPart } from '#events/token-meters.js';
import { type Usage, type UsageParts } from '#platform/chats/chat-usage.js';
import { isTokenCount } from '../token-usage.js';

/** All tokens of a prompt and of its answer. */
export interface Totals {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/**
 * Sorts the counts of one usage object into classes. A count that cannot be is not read, one above
 * its total is cut; the customer has the benefit, and the doubts say so.
 */
export class StatedCounts {
  readonly #doubts: UsageDoubt[] = [];
  #parts: Partial<Record<TokenPart, number>> | undefined;

  doubt(doubt: UsageDoubt): void {
    if (!this.#doubts.includes(doubt)) this.#doubts.push(doubt);
  }

  /** Undefined for a count that is not stated; one that cannot be is refused. */
  count(value: unknown): number | undefined {
    if (value === undefined || value === null) return undefined;
    if (isTokenCount(value)) return value;
    this.doubt('bad_count');
    return undefined;
  }

  /**
   * Counts tokens of a total in a class of their own.
   * @returns the tokens of the total that are left for other classes
   */
  take(part: TokenPart, count: number | undefined, left: number): number {
    if (count === undefined) return left;
    if (count > left) this.doubt('parts_above_total');
    const taken = Math.min(count, left);
    this.#parts ??= {};
    this.#parts[part] = (this.#parts[part] ?? 0) + taken;
    return left - taken;
  }

  /** A stated total below its parts cuts the answer, which is dearer, then the prompt. */
  within({ promptTokens, completionTokens }: Totals, total: unknown): Totals {
    if (!isTokenCount(total) || total === 0 || total >= promptTokens + completionTokens) {
      return { promptTokens, completionTokens };
    }
    this.doubt('total_differs');
    const cut = Math.min(promptTokens, total);
    return { promptTokens: cut, completionTokens: total - cut };
  }

  /** The usage, as the provider states it. */
  usage({ promptTokens, completionTokens }: Totals): Usage {
    const parts: UsageParts | undefined = this.#parts;
    const doubts = this.#doubts;
    const usage: Usage = { promptTokens, completionTokens, source: 'provider' };
    if (!parts && doubts.length === 0) return usage;
    return { ...usage, ...(parts && { parts }), ...(doubts.length > 0 && { doubts }) };
  }
}

const SERVICE_TIER = /^[a-z][a-z0-9_]{0,31}$/;
const STANDARD: ReadonlySet<string> = new Set(['default', 'standard', 'auto']);

/** A service tier as a provider states it; undefined for the standard one, and for none. */
export const statedTier = (tier: unknown): string | undefined =>
  typeof tier === 'string' && SERVICE_TIER.test(tier) && !STANDARD.has(tier) ? tier : undefined;
