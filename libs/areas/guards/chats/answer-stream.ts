import { type GuardRule, isDetecting, isWebhook, type WebhookRule } from '../rules/guard-rule.js';
import { type ScannedRule, TextScanner } from '../scanning/text-scanner.js';
import { WebhookWindow } from '../webhooks/webhook-window.js';
import { withAnswerTexts } from './json-texts.js';

type JsonObject = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const objectsOf = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

/** Fields of a delta whose texts join to one. */
const JOINED = ['content', 'reasoning_content', 'reasoning', 'refusal'] as const;

/** Who counts the matches of rules, and asks webhooks. */
export interface AnswerRules {
  readonly onMatch: (rule: ScannedRule) => void;
  readonly ask: (rule: WebhookRule, texts: readonly string[]) => Promise<AnswerVerdict>;
}

export interface AnswerVerdict {
  /** As they may be delivered. */
  readonly texts: readonly string[];
  readonly isBlocked: boolean;
  readonly hasFailed: boolean;
}

/** A text of a choice that comes in parts, and how a delta has its next part. */
interface JoinedText {
  readonly text: AnswerText;
  readonly deltaOf: (text: string) => JsonObject;
}

/** Takes a delta that comes late. */
type Late = (delta: JsonObject) => void;

const indexOf = ({ index }: JsonObject, otherwise: number): number =>
  typeof index === 'number' ? index : otherwise;

/** A text by rules that find their matches here, then by webhooks. */
class AnswerText {
  constructor(
    private readonly scanner: TextScanner,
    private readonly windows: readonly WebhookWindow[],
  ) {}

  async push(part: string): Promise<string> {
    let safe = this.scanner.push(part);
    for (const window of this.windows) safe = await window.push(safe);
    return safe;
  }

  async end(): Promise<string> {
    let safe = this.scanner.end();
    for (const window of this.windows) safe = (await window.push(safe)) + (await window.end());
    return safe;
  }
}

/** Whether text waits for a rule. One that only flags lets it pass, unless its failure blocks. */
const holds = (rule: GuardRule): boolean =>
  rule.does !== 'flag' || (isWebhook(rule) && !rule.failsOpen);

/** One choice of a stream. */
class Choice {
  /** The text that comes now, by its place in the delta. */
  #open: (JoinedText & { readonly place: string }) | undefined;
  #isBlocked = false;
  /** Webhooks that gave no verdict, and are asked no more. */
  readonly #failed = new Set<WebhookRule>();

  constructor(
    private readonly rules: readonly GuardRule[],
    private readonly answer: AnswerRules,
  ) {}

  /**
   * The part of a text that may be delivered.
   * @param late takes the rest of the text before it
   */
  async push(
    place: string,
    part: string,
    deltaOf: JoinedText['deltaOf'],
    late: Late,
  ): Promise<string> {
    if (this.#open?.place !== place) await this.close(late);
    this.#open ??= { place, text: this.#text(), deltaOf };
    return this.#open.text.push(part);
  }

  /** Delivers what is held back. */
  async close(late: Late): Promise<void> {
    if (!this.#open) return;
    const { text, deltaOf } = this.#open;
    this.#open = undefined;
    const rest = await text.end();
    if (rest !== '') late(deltaOf(rest));
  }

  /** Whether a rule that blocks has a match. */
  isBlocked(): boolean {
    return this.#isBlocked;
  }

  /** A part of an answer whose texts come at once. */
  async whole(part: JsonObject): Promise<JsonObject> {
    const texts = new Map<string, string>();
    withAnswerTexts(part, (text) => (texts.set(text, text), text));
    for (const sent of texts.keys()) {
      const text = this.#text();
      texts.set(sent, (await text.push(sent)) + (await text.end()));
    }
    return withAnswerTexts(part, (text) => texts.get(text) ?? text);
  }

  #text(): AnswerText {
    const scanner = new TextScanner(this.rules.filter(isDetecting), (rule) => {
      if (rule.does === 'block') this.#isBlocked = true;
      this.answer.onMatch(rule);
    });
    const windows = this.rules
      .filter(isWebhook)
      .map(
        (rule) =>
          new WebhookWindow(rule.webhook.windowUnits, holds(rule), (text) => this.#ask(rule, text)),
      );
    return new AnswerText(scanner, windows);
  }

  async #ask(rule: WebhookRule, text: string): Promise<string> {
    if (this.#isBlocked || this.#failed.has(rule)) return text;
    const { texts, isBlocked, hasFailed } = await this.answer.ask(rule, [text]);
    this.#isBlocked ||= isBlocked;
    if (hasFailed) this.#failed.add(rule);
    return texts[0] ?? text;
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
    private readonly rules: readonly GuardRule[],
    private readonly choicesMax: number,
    private readonly answer: AnswerRules,
  ) {
    this.#isHolding = rules.some(holds);
  }

  /** Whether all choices are blocked: no further chunk is delivered. */
  get isOver(): boolean {
    return this.#blocked >= this.choicesMax;
  }

  /** @param line a chunk as JSON @returns the chunks that may be delivered */
  async push(line: string): Promise<readonly string[]> {
    if (this.isOver) return [];
    const chunk: unknown = JSON.parse(line);
    if (!isObject(chunk) || !Array.isArray(chunk['choices'])) return [line];
    this.#last = chunk;
    const late: string[] = [];
    const choices = objectsOf(chunk['choices']);
    const next: JsonObject[] = [];
    for (const [n, choice] of choices.entries())
      next.push(...(await this.#choice(choice, n, chunk, late)));
    if (!this.#isHolding) return [line];
    if (choices.length > 0 && next.length === 0 && chunk['usage'] == null) return late;
    return [...late, JSON.stringify({ ...chunk, choices: next })];
  }

  /** The rest of an answer that ends without a reason. */
  async end(): Promise<readonly string[]> {
    const { choices: _, ...head } = this.#last ?? {};
    const late: string[] = [];
    for (const [index, choice] of this.#choices) {
      if (choice.isBlocked()) continue;
      const rest: string[] = [];
      await choice.close((delta) => rest.push(chunkOf(head, index, delta)));
      late.push(...(choice.isBlocked() ? [chunkOf(head, index, {}, 'content_filter')] : rest));
    }
    return this.#isHolding ? late : [];
  }

  /** The last chunk of a stream that was ended here. */
  usageChunk(usage: JsonObject): string {
    return JSON.stringify({ ...this.#last, choices: [], usage });
  }

  async #choice(
    sent: JsonObject,
    n: number,
    chunk: JsonObject,
    late: string[],
  ): Promise<readonly JsonObject[]> {
    const index = indexOf(sent, n);
    const choice = this.#choiceOf(index);
    if (choice.isBlocked()) return [];
    const before = late.length;
    const isLast = sent['finish_reason'] != null;
    const keep = (delta: JsonObject): void => void late.push(chunkOf(chunk, index, delta));
    const delta = await this.#delta(isObject(sent['delta']) ? sent['delta'] : {}, choice, keep);
    // The rest is delivered before the chunk that says that the choice has ended.
    const own = late.length;
    if (isLast) await choice.close(keep);
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

  async #delta(sent: JsonObject, choice: Choice, late: Late): Promise<JsonObject> {
    const delta: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(sent)) {
      if (typeof value === 'string' && JOINED.some((joined) => joined === name)) {
        const deltaOf = (part: string) => ({ [name]: part });
        // Servers send empty texts beside the one that comes now.
        const text = value === '' ? '' : await choice.push(name, value, deltaOf, late);
        if (text !== '' || value === '') delta[name] = text;
      } else if (name === 'tool_calls' && Array.isArray(value)) {
        const calls: JsonObject[] = [];
        for (const [n, call] of objectsOf(value).entries())
          calls.push(...(await toolCall(call, n, choice, late)));
        if (calls.length > 0) delta[name] = calls;
      } else if (name === 'role') delta[name] = value;
      else Object.assign(delta, await choice.whole({ [name]: value }));
    }
    return delta;
  }

  #choiceOf(index: number): Choice {
    const known = this.#choices.get(index);
    if (known) return known;
    const choice = new Choice(this.rules, this.answer);
    this.#choices.set(index, choice);
    return choice;
  }
}

/** Where the parts of a call are, by the kind of the call. */
const CALLED = { function: 'arguments', custom: 'input' } as const;

/** A call of a tool comes in parts of its arguments; all else of it comes at once. */
const toolCall = async (
  sent: JsonObject,
  n: number,
  choice: Choice,
  late: Late,
): Promise<readonly JsonObject[]> => {
  const kind = isObject(sent['custom']) ? 'custom' : 'function';
  const { [kind]: called, ...rest } = sent;
  const { [CALLED[kind]]: part, ...named } = isObject(called) ? called : {};
  if (typeof part !== 'string') return [await choice.whole(sent)];
  const index = indexOf(sent, n);
  const deltaOf = (text: string) => ({ tool_calls: [{ index, [kind]: { [CALLED[kind]]: text } }] });
  const text = await choice.push(`tool_calls ${index}`, part, deltaOf, late);
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
