import { AskedModel } from '#events/hold.vocabulary.js';
import {
  type ChatGuard,
  type GuardedPrompts,
  type GuardedWork,
  type GuardErrorCode,
} from '#platform/chats/chat-guards.port.js';
import { type ChatOrder, includesUsage } from '#platform/chats/chat-order.js';
import {
  type ChatReply,
  type ChatStream,
  type StreamReceipt,
} from '#platform/chats/chat-strategy.js';
import { usageObject } from '#platform/chats/chat-usage.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { rejectedField } from '#platform/runtime/commands/rejected-request.js';
import { RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { type HitRecorder } from '../hit-recorder.js';
import {
  type DetectingRule,
  type Direction,
  type GuardRule,
  isDetecting,
  isWebhook,
  type WebhookRule,
} from '../rules/guard-rule.js';
import { type GuardWebhooks } from '../webhooks/guard-webhooks.js';
import { scannedTexts } from '../scanning/scanned-texts.js';
import { type ScannedRule } from '../scanning/text-scanner.js';
import { AnswerStream } from './answer-stream.js';
import { HitCounts } from './hit-counts.js';
import { textsOf, withAnswerTexts, withTexts } from './json-texts.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** UTF-16 units of all texts of a request that rules read. */
export const TEXT_UNITS_MAX = 1_048_576;

export interface GuardParts {
  readonly hits: Pick<HitRecorder, 'record'>;
  readonly webhooks: Pick<GuardWebhooks, 'verdictOf'>;
}

const BLOCKED = { role: 'assistant', content: '', refusal: null } as const;

/** Guards one chat: its rules read the prompts before they are admitted, and the answer. */
export class GuardedChat implements ChatGuard {
  constructor(
    private readonly rules: readonly GuardRule[],
    private readonly work: GuardedWork,
    private readonly parts: GuardParts,
  ) {}

  async request<Prompts extends GuardedPrompts>(prompts: Prompts): Promise<Prompts> {
    const { changed, counts } = await this.#read(textsOfAll(prompts));
    this.#record('request', counts);
    return changed.size === 0 ? prompts : changedPrompts(prompts, changed);
  }

  async check(prompts: GuardedPrompts): Promise<void> {
    await this.#read(textsOfAll(prompts));
  }

  async texts<Body extends JsonObject>(body: Body, unread?: string): Promise<Body> {
    if (unread !== undefined) this.#demandTexts(unread);
    const texts = new Set<string>();
    textsOf(body, texts);
    const { changed, counts } = await this.#read(texts);
    this.#record('request', counts);
    return changed.size === 0 ? body : withTexts(body, (text) => changed.get(text) ?? text);
  }

  async answer(completion: JsonObject): Promise<JsonObject> {
    const { choices } = completion;
    const rules = this.#answerRules;
    if (rules.length === 0 || !Array.isArray(choices)) return completion;
    const counts = new HitCounts();
    const next: unknown[] = [];
    for (const choice of choices as readonly unknown[]) {
      next.push(isObject(choice) ? await guardedChoice(choice, rules, counts) : choice);
    }
    this.#record('answer', counts);
    return next.some((choice, n) => choice !== choices[n])
      ? { ...completion, choices: next }
      : completion;
  }

  async complete(
    order: ChatOrder,
    signal: AbortSignal,
    next: (order: ChatOrder, signal: AbortSignal) => Promise<ChatReply>,
  ): Promise<ChatReply> {
    const reply = await next(this.#translated(await this.request(order)), signal);
    if (this.#answerRules.length === 0) return reply;
    const completion = JSON.parse(reply.text) as JsonObject;
    const guarded = await this.answer(completion);
    return guarded === completion ? reply : { ...reply, text: JSON.stringify(guarded) };
  }

  async stream(
    order: ChatOrder,
    signal: AbortSignal,
    next: (order: ChatOrder, signal: AbortSignal) => Promise<ChatStream>,
  ): Promise<ChatStream> {
    const asked = this.#translated(await this.request(order));
    const rules = this.#answerRules;
    if (rules.length === 0) return next(asked, signal);
    const blocking = new AbortController();
    const stream = await next(asked, AbortSignal.any([signal, blocking.signal]));
    const pages = this.#pages(asked, stream.pages, rules, blocking);
    // Started, so that its `finally` ends the stream even if no page is read.
    await pages.next();
    return { ...stream, pages };
  }

  /** The first page is empty and available at once. */
  async *#pages(
    order: ChatOrder,
    pages: ChatStream['pages'],
    rules: readonly DetectingRule[],
    blocking: AbortController,
  ): ChatStream['pages'] {
    const counts = new HitCounts();
    const stream = new AnswerStream(rules, choicesOf(order), counts.add);
    try {
      yield [];
      for (;;) {
        const page = await pages.next();
        if (page.done) {
          yield endOf(stream, page.value, order);
          // The stream was ended here: its caller has the reason in `finish_reason`.
          return stream.isOver ? { ...page.value, cut: null } : page.value;
        }
        const lines = page.value.flatMap((line) => stream.push(line));
        if (stream.isOver) blocking.abort(new RequestCutError('guard_blocked'));
        if (lines.length > 0) yield lines;
      }
    } finally {
      this.#record('answer', counts);
      await pages[Symbol.asyncDispose]();
    }
  }

  /** @throws DomainError of `guardErrors` */
  async #read(texts: ReadonlySet<string>) {
    const counts = new HitCounts();
    const all = this.#rulesOn('request');
    if (all.length === 0) return { changed: new Map<string, string>(), counts };
    const rules = this.#readable(all, texts, counts);
    const changed = new Map(await scannedTexts(texts, rules.filter(isDetecting), counts.add));
    this.#rejectBlocked(counts);
    for (const rule of rules.filter(isWebhook)) {
      await this.#ask(rule, texts, changed, counts);
      this.#rejectBlocked(counts);
    }
    return { changed, counts };
  }

  /**
   * A webhook sees the texts without the matches of the rules before it.
   * @throws DomainError `guard_failed`
   */
  async #ask(
    rule: WebhookRule,
    texts: ReadonlySet<string>,
    changed: Map<string, string>,
    counts: HitCounts,
  ): Promise<void> {
    const all = [...texts];
    const sent = all.map((text) => changed.get(text) ?? text);
    try {
      const { matches, texts: given } = await this.parts.webhooks.verdictOf(rule, this.work, sent);
      if (matches > 0) counts.add(rule, matches);
      if (matches === 0 || rule.does !== 'redact') return;
      for (const [n, text] of all.entries()) changed.set(text, given?.[n] ?? text);
    } catch {
      counts.add(rule, 0);
      if (rule.failsOpen) return;
      this.#record('request', counts);
      throw new DomainError<GuardErrorCode>(
        'guard_failed',
        `the rule ${rule.id} of the operator could not read this request; try again later`,
        { rule: rule.id },
      );
    }
  }

  /** @throws DomainError `guard_blocked` */
  #rejectBlocked(counts: HitCounts): void {
    const blocked = counts.list.find(({ does, matches }) => does === 'block' && matches > 0);
    if (!blocked) return;
    this.#record('request', counts);
    throw new DomainError<GuardErrorCode>(
      'guard_blocked',
      `the rule ${blocked.rule} of the operator blocks this request; remove the text that it finds`,
      { rule: blocked.rule },
    );
  }

  /** @throws DomainError `guard_text_too_long` */
  #readable(
    rules: readonly GuardRule[],
    texts: ReadonlySet<string>,
    counts: HitCounts,
  ): readonly GuardRule[] {
    let units = 0;
    for (const { length } of texts) units += length;
    if (units <= TEXT_UNITS_MAX) return rules;
    for (const rule of rules) counts.add(rule, 0);
    if (rules.every(({ failsOpen }) => failsOpen)) return [];
    this.#record('request', counts);
    throw new DomainError<GuardErrorCode>(
      'guard_text_too_long',
      `the texts of the request have ${units} characters; the rules of the operator read ` +
        `${TEXT_UNITS_MAX} at most`,
    );
  }

  /**
   * @throws RejectedRequestError 400 for a field that has no texts to read, unless all rules fail
   *   open
   */
  #demandTexts(field: string): void {
    const counts = new HitCounts();
    const rules = this.#rulesOn('request');
    for (const rule of rules) counts.add(rule, 0);
    this.#record('request', counts);
    if (rules.every(({ failsOpen }) => failsOpen)) return;
    throw rejectedField(field, 'a rule of the operator reads texts, and these are none');
  }

  #rulesOn(direction: Direction): readonly GuardRule[] {
    return this.rules.filter(({ on }) => on.includes(direction));
  }

  get #answerRules(): readonly DetectingRule[] {
    return this.#rulesOn('answer').filter(isDetecting);
  }

  #record(on: Direction, { list }: HitCounts): void {
    if (list.length === 0) return;
    const { accountId, model, requestId: holdId } = this.work;
    const named = AskedModel.safeParse(model);
    this.parts.hits.record({ accountId, model: named.data ?? null, holdId, on, hits: [...list] });
  }

  /**
   * Answers are read as chats.
   * @throws RejectedRequestError 400 that names what a chat cannot express
   */
  #translated(order: ChatOrder): ChatOrder {
    if (this.#answerRules.length === 0) return order;
    const { original, ...rest } = order;
    const field = original?.untranslated;
    if (field === undefined) return rest;
    throw rejectedField(
      field,
      'a rule of the operator reads answers as chats, which have no such field',
    );
  }
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textsOfAll = ({ body, others = [], original }: GuardedPrompts): ReadonlySet<string> => {
  const texts = new Set<string>();
  for (const one of [body, ...others]) textsOf(one, texts);
  if (original) textsOf(parsed(original.bytes), texts);
  return texts;
};

const parsed = (bytes: Buffer): JsonObject => JSON.parse(bytes.toString()) as JsonObject;

const changedPrompts = <Prompts extends GuardedPrompts>(
  prompts: Prompts,
  changed: ReadonlyMap<string, string>,
): Prompts => {
  const { body, others, original } = prompts;
  const change = (text: string): string => changed.get(text) ?? text;
  return {
    ...prompts,
    body: withTexts(body, change),
    ...(others && { others: others.map((one) => withTexts(one, change)) }),
    ...(original && {
      original: {
        ...original,
        bytes: Buffer.from(JSON.stringify(withTexts(parsed(original.bytes), change))),
      },
    }),
  };
};

/** Choices that the request asks for. */
const choicesOf = ({ body: { n }, others = [] }: ChatOrder): number =>
  (n ?? 1) * (1 + others.length);

const guardedChoice = async (
  choice: JsonObject,
  rules: readonly DetectingRule[],
  counts: HitCounts,
): Promise<JsonObject> => {
  const { logprobs: _, ...rest } = choice;
  const texts = new Set<string>();
  textsOf(rest, texts);
  const found = new Set<ScannedRule>();
  const changed = await scannedTexts(texts, rules, (rule) => {
    found.add(rule);
    counts.add(rule);
  });
  if ([...found].some(({ does }) => does === 'block')) {
    return { ...choice, message: BLOCKED, logprobs: null, finish_reason: 'content_filter' };
  }
  if (changed.size === 0) return choice;
  const change = (text: string): string => changed.get(text) ?? text;
  return { ...withAnswerTexts(rest, change), logprobs: null };
};

/** The last chunks of a stream, with its usage where that was asked for and the rig was stopped. */
const endOf = (
  stream: AnswerStream,
  { usage }: StreamReceipt,
  { body }: ChatOrder,
): readonly string[] => {
  const rest = stream.end();
  return stream.isOver && includesUsage(body)
    ? [...rest, stream.usageChunk(usageObject(usage))]
    : rest;
};
