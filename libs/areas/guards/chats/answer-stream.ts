import { type ScannedRule, TextScanner } from '../scanning/text-scanner.js';
import { withAnswerTexts } from './json-texts.js';

type JsonObject = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const objectsOf = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

/** Fields of a delta whose texts join to one. */
const JOINED = ['content', 'reasoning_content', 'reasoning', 'refusal'] as const;

/** A text of a choice that comes in parts, and how a delta has its next part. */
interface JoinedText {
  readonly scanner: TextScanner;
  readonly deltaOf: (text: string) => JsonObject;
}

const indexOf = ({ index }: JsonObject, otherwise: number): number =>
  typeof index === 'number' ? index : otherwise;

/** One choice of a stream. */
class Choice {
  /** The text that comes now, by its place in the delta. */
  #open: { readonly place: string; readonly text: JoinedText } | undefined;
  #isBlocked = false;

  constructor(
    private readonly rules: readonly ScannedRule[],
    private readonly onMatch: (rule: ScannedRule) => void,
  ) {}

  /**
   * The part of a text that may be delivered.
   * @param late takes the rest of the text before it
   */
  push(
    place: string,
    part: string,
    deltaOf: JoinedText['deltaOf'],
    late: (delta: JsonObject) => void,
  ): string {
    if (this.#open?.place !== place) {
      this.close(late);
      this.#open = { place, text: { scanner: this.scanner(), deltaOf } };
    }
    return this.#open.text.scanner.push(part);
  }

  /** Delivers what is held back. */
  close(late: (delta: JsonObject) => void): void {
    if (!this.#open) return;
    const { scanner, deltaOf } = this.#open.text;
    this.#open = undefined;
    const rest = scanner.end();
    if (rest !== '') late(deltaOf(rest));
  }

  /** Whether a rule that blocks has a match. */
  isBlocked(): boolean {
    return this.#isBlocked;
  }

  /** Of a text that comes at once. */
  whole(text: string): string {
    const scanner = this.scanner();
    return scanner.push(text) + scanner.end();
  }

  scanner(): TextScanner {
    return new TextScanner(this.rules, (rule) => {
      if (rule.does === 'block') this.#isBlocked = true;
      this.onMatch(rule);
    });
  }
}

/**
 * Chunks of a chat with the texts that a caller may see. The end of each text is held back until no
 * match can begin in it; a match of a rule that blocks ends its choice with `content_filter`.
 */
export class AnswerStream {
  readonly #choices = new Map<number, Choice>();
  readonly #isHolding: boolean;
  #blocked = 0;
  #last: JsonObject | undefined;

  /** @param choicesMax how many choices the request asks for */
  constructor(
    private readonly rules: readonly ScannedRule[],
    private readonly choicesMax: number,
    private readonly onMatch: (rule: ScannedRule) => void,
  ) {
    this.#isHolding = rules.some(({ does }) => does !== 'flag');
  }

  /** Whether all choices are blocked: no further chunk is delivered. */
  get isOver(): boolean {
    return this.#blocked >= this.choicesMax;
  }

  /** @param line a chunk as JSON @returns the chunks that may be delivered */
  push(line: string): readonly string[] {
    if (this.isOver) return [];
    const chunk: unknown = JSON.parse(line);
    if (!isObject(chunk) || !Array.isArray(chunk['choices'])) return [line];
    this.#last = chunk;
    const late: string[] = [];
    const choices = objectsOf(chunk['choices']);
    const next = choices.flatMap((choice, n) => this.#choice(choice, n, chunk, late));
    if (!this.#isHolding) return [line];
    if (choices.length > 0 && next.length === 0 && chunk['usage'] == null) return late;
    return [...late, JSON.stringify({ ...chunk, choices: next })];
  }

  /** The rest of an answer that ends without a reason. */
  end(): readonly string[] {
    const { choices: _, ...head } = this.#last ?? {};
    const late: string[] = [];
    for (const [index, choice] of this.#choices) {
      if (choice.isBlocked()) continue;
      const rest: string[] = [];
      choice.close((delta) => rest.push(chunkOf(head, index, delta)));
      late.push(...(choice.isBlocked() ? [chunkOf(head, index, {}, 'content_filter')] : rest));
    }
    return this.#isHolding ? late : [];
  }

  /** The last chunk of a stream that was ended here. */
  usageChunk(usage: JsonObject): string {
    return JSON.stringify({ ...this.#last, choices: [], usage });
  }

  #choice(sent: JsonObject, n: number, chunk: JsonObject, late: string[]): readonly JsonObject[] {
    const index = indexOf(sent, n);
    const choice = this.#choiceOf(index);
    if (choice.isBlocked()) return [];
    const before = late.length;
    const isLast = sent['finish_reason'] != null;
    const keep = (delta: JsonObject): void => void late.push(chunkOf(chunk, index, delta));
    const delta = this.#delta(isObject(sent['delta']) ? sent['delta'] : {}, choice, keep);
    // The rest is delivered before the chunk that says that the choice has ended.
    const own = late.length;
    if (isLast) choice.close(keep);
    if (choice.isBlocked()) {
      late.splice(before);
      this.#blocked += 1;
      return [{ ...sent, delta: {}, logprobs: null, finish_reason: 'content_filter' }];
    }
    const hasRest = late.length > own && hasText(delta);
    if (hasRest) late.splice(own, 0, chunkOf(chunk, index, delta));
    const shown = hasRest ? {} : delta;
    if (!isLast && isEmpty(shown) && !isEmpty(sent['delta'])) return [];
    return [{ ...sent, delta: shown, logprobs: null }];
  }

  #delta(sent: JsonObject, choice: Choice, late: (delta: JsonObject) => void): JsonObject {
    const delta: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(sent)) {
      if (typeof value === 'string' && JOINED.some((joined) => joined === name)) {
        const deltaOf = (part: string) => ({ [name]: part });
        // Servers send empty texts beside the one that comes now.
        const text = value === '' ? '' : choice.push(name, value, deltaOf, late);
        if (text !== '' || value === '') delta[name] = text;
      } else if (name === 'tool_calls' && Array.isArray(value)) {
        const calls = objectsOf(value).flatMap((call, n) => toolCall(call, n, choice, late));
        if (calls.length > 0) delta[name] = calls;
      } else {
        Object.assign(
          delta,
          withAnswerTexts({ [name]: value }, (text) =>
            name === 'role' ? text : choice.whole(text),
          ),
        );
      }
    }
    return delta;
  }

  #choiceOf(index: number): Choice {
    const known = this.#choices.get(index);
    if (known) return known;
    const choice = new Choice(this.rules, this.onMatch);
    this.#choices.set(index, choice);
    return choice;
  }
}

/** Where the parts of a call are, by the kind of the call. */
const CALLED = { function: 'arguments', custom: 'input' } as const;

/** A call of a tool comes in parts of its arguments; all else of it comes at once. */
const toolCall = (
  sent: JsonObject,
  n: number,
  choice: Choice,
  late: (delta: JsonObject) => void,
): readonly JsonObject[] => {
  const kind = isObject(sent['custom']) ? 'custom' : 'function';
  const { [kind]: called, ...rest } = sent;
  const { [CALLED[kind]]: part, ...named } = isObject(called) ? called : {};
  if (typeof part !== 'string') return [withAnswerTexts(sent, (text) => choice.whole(text))];
  const index = indexOf(sent, n);
  const deltaOf = (text: string) => ({ tool_calls: [{ index, [kind]: { [CALLED[kind]]: text } }] });
  const text = choice.push(`tool_calls ${index}`, part, deltaOf, late);
  const isHeld = text === '' && part !== '' && Object.keys(named).length === 0;
  return isHeld ? [] : [{ ...rest, [kind]: { ...named, [CALLED[kind]]: text } }];
};

const isEmpty = (delta: unknown): boolean => isObject(delta) && Object.keys(delta).length === 0;

const hasText = (delta: JsonObject): boolean => Object.keys(delta).length > 0;

const chunkOf = (
  { usage, ...head }: JsonObject,
  index: number,
  delta: JsonObject,
  finish_reason: string | null = null,
): string =>
  JSON.stringify({
    ...head,
    choices: [{ index, delta, logprobs: null, finish_reason }],
    // With `include_usage`, the field is null until the last chunk.
    ...(usage !== undefined && { usage: null }),
  });
