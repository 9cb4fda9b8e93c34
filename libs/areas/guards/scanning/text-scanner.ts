import { type Detector } from '../detectors/detector.js';

export interface ScannedRule {
  readonly id: string;
  readonly detector: Detector;
  readonly does: 'block' | 'redact' | 'flag';
}

interface Found {
  readonly start: number;
  readonly end: number;
  readonly rule: ScannedRule;
}

/** The place from which a rule is searched next. */
interface Search {
  readonly rule: ScannedRule;
  from: number;
}

/** Units before a match that decide whether it is one: half a pair, and the unit before. */
const UNITS_BEFORE = 2;
/** Units behind a match that decide whether it is one. */
const UNITS_BEHIND = 2;

/** The text in the place of a match. */
export const markerOf = (ruleId: string): string => `[redacted:${ruleId}]`;

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/**
 * Reads a text in parts, and returns it with markers in the place of matches. The parts that it
 * returns join to the same text, however the text is cut: a part is held back until no match that
 * begins in it can be longer.
 */
export class TextScanner {
  readonly #searches: readonly Search[];
  readonly #reach: number;
  /** Matches whose place has not been returned yet. */
  #found: Found[] = [];
  #text = '';
  /** Up to here all matches that begin are known. */
  #decided = 0;
  /** Up to here the text has been returned or redacted. */
  #returned = 0;

  /** @param onMatch called once for each match */
  constructor(
    rules: readonly ScannedRule[],
    private readonly onMatch: (rule: ScannedRule) => void,
  ) {
    this.#searches = rules.map((rule) => ({ rule, from: 0 }));
    const unitsMax = rules.map(({ detector }) => detector.unitsMax);
    const isWaiting = rules.some(({ does }) => does !== 'flag');
    this.#reach = Math.max(0, ...unitsMax) + UNITS_BEHIND;
    this.isHolding = isWaiting;
  }

  /** Whether text is held back: a match that is only flagged changes nothing. */
  readonly isHolding: boolean;

  /** The next part of the text that is certain. */
  push(part: string): string {
    this.#text += part;
    const safe = this.#decide(this.#text.length - this.#reach);
    return this.isHolding ? safe : part;
  }

  /** The rest of the text. */
  end(): string {
    const rest = this.#decide(this.#text.length);
    return this.isHolding ? rest : '';
  }

  #decide(until: number): string {
    const isEnd = until === this.#text.length;
    const isPair = !isEnd && isHighSurrogate(this.#text.charCodeAt(until - 1));
    this.#decided = Math.max(this.#decided, isPair ? until - 1 : until);
    for (const search of this.#searches) this.#find(search);
    this.#found.sort((one, other) => one.start - other.start);
    const safe = this.#read();
    this.#forget();
    return safe;
  }

  #find(search: Search): void {
    const { rule } = search;
    while (search.from < this.#decided) {
      const match = rule.detector.next(this.#text, search.from);
      if (!match || match.start >= this.#decided) {
        search.from = this.#decided;
        return;
      }
      this.onMatch(rule);
      if (rule.does === 'redact') this.#found.push({ ...match, rule });
      search.from = match.end;
    }
  }

  /** Of matches that overlap, the first one has its marker; the others are redacted with it. */
  #read(): string {
    let text = '';
    for (const { start, end, rule } of this.#found) {
      if (start >= this.#returned) {
        text += this.#text.slice(this.#returned, start) + markerOf(rule.id);
      }
      this.#returned = Math.max(this.#returned, end);
    }
    this.#found = [];
    if (this.#returned >= this.#decided) return text;
    text += this.#text.slice(this.#returned, this.#decided);
    this.#returned = this.#decided;
    return text;
  }

  #forget(): void {
    const drop = Math.max(0, this.#decided - UNITS_BEFORE);
    this.#text = this.#text.slice(drop);
    this.#decided -= drop;
    this.#returned -= drop;
    for (const search of this.#searches) search.from -= drop;
  }
}
