import { type TokenPart } from '#events/token-meters.js';
import { type UsageDoubt } from '#events/token-usage.vocabulary.js';
import { type UsageParts } from '#platform/chats/chat-usage.js';
import { isTokenCount } from '../token-usage.js';

/** All tokens of a prompt and of its answer. */
export interface Totals {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/**
 * Reads the counts of one usage object. A count that is absent was not measured; one that cannot be
 * is refused. Parts never exceed their total: what is too much falls to the customer's favour.
 */
export class StatedCounts {
  readonly #doubts = new Set<UsageDoubt>();
  readonly #parts: Partial<Record<TokenPart, number>> = {};

  /** Undefined for a count that is not stated. */
  read(value: unknown): number | undefined {
    if (value === undefined || value === null) return undefined;
    if (isTokenCount(value)) return value;
    this.doubt('bad_count');
    return undefined;
  }

  /** @returns the tokens of the total that are left for other parts */
  take(part: TokenPart, count: number | undefined, left: number): number {
    if (count === undefined) return left;
    if (count > left) this.doubt('parts_above_total');
    this.#parts[part] = Math.min(count, left);
    return left - Math.min(count, left);
  }

  doubt(doubt: UsageDoubt): void {
    this.#doubts.add(doubt);
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

  /** The fields of a usage beside its totals. */
  rest(): { readonly parts?: UsageParts; readonly doubts?: readonly UsageDoubt[] } {
    return {
      ...(Object.keys(this.#parts).length > 0 && { parts: this.#parts }),
      ...(this.#doubts.size > 0 && { doubts: [...this.#doubts] }),
    };
  }
}

const SERVICE_TIER = /^[a-z][a-z0-9_]{0,31}$/;
const STANDARD: ReadonlySet<string> = new Set(['default', 'standard', 'auto']);

/** A service tier as a provider states it; undefined for the standard one, and for none. */
export const statedTier = (tier: unknown): string | undefined =>
  typeof tier === 'string' && SERVICE_TIER.test(tier) && !STANDARD.has(tier) ? tier : undefined;
