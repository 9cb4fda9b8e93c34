import { type GuardHit } from '#events/guards/guard.events.js';
import { type ScannedRule } from '../scanning/text-scanner.js';

/** The matches of the rules in the texts of one request or one answer. */
export class HitCounts {
  readonly #byRule = new Map<string, GuardHit>();

  /** @param matches none: the rule could not read the texts */
  readonly add = ({ id: rule, does }: Pick<ScannedRule, 'id' | 'does'>, matches = 1): void => {
    const before = this.#byRule.get(rule);
    this.#byRule.set(rule, {
      rule,
      does,
      matches: matches + (before?.matches ?? 0),
      hasFailed: matches === 0 || before?.hasFailed === true,
    });
  };

  get list(): readonly GuardHit[] {
    return [...this.#byRule.values()];
  }
}
