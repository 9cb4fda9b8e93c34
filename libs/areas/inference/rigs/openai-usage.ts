import { type UsageDoubt } from '#events/token-usage.vocabulary.js';
import { type TokenPart } from '#events/token-meters.js';
import { type Usage, type UsageParts } from '#platform/chats/chat-usage.js';
import { type JsonObject } from './chat-backend.js';
import { isObject, isTokenCount } from './token-usage.js';

/**
 * The `usage` object of OpenAI's chat completions, and of the servers that speak its dialect: vLLM,
 * DeepSeek, xAI, Mistral, Groq, OpenRouter. `prompt_tokens` contains cached, written, audio and
 * image tokens, `completion_tokens` contains reasoning and audio.
 *
 * Without a valid prompt and completion the whole is not stated, so that a hostile upstream can
 * neither credit a customer nor fill a ledger. Where counts contradict each other, the customer has
 * the benefit, and `doubts` says so.
 */
export const statedUsage = (usage: unknown): Usage | null => {
  if (!isObject(usage)) return null;
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = usage;
  if (!isTokenCount(prompt) || !isTokenCount(completion)) return null;
  const inputs = usage['prompt_tokens_details'];
  const outputs = usage['completion_tokens_details'];
  const hits = usage['prompt_cache_hit_tokens'];
  const tools = usage['server_tool_use_details'];
  if (![inputs, outputs, tools].some(isObject) && hits === undefined) {
    return { ...totalsOf(prompt, completion, total), source: 'provider' };
  }
  const details = { inputs: fieldsOf(inputs), outputs: fieldsOf(outputs), tools: fieldsOf(tools) };
  return new StatedParts(details).usage(usage, { prompt, completion });
};

const fieldsOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** The service tier that an answer or a chunk states; undefined for the standard one. */
export const serviceTierOf = ({ service_tier: tier }: JsonObject): string | undefined =>
  typeof tier === 'string' && SERVICE_TIER.test(tier) && !STANDARD.has(tier) ? tier : undefined;

const SERVICE_TIER = /^[a-z][a-z0-9_]{0,31}$/;
const STANDARD: ReadonlySet<string> = new Set(['default', 'standard', 'auto']);

interface Totals {
  readonly prompt: number;
  readonly completion: number;
}

type Checked = Pick<Usage, 'promptTokens' | 'completionTokens' | 'doubts'>;

/** A stated total below its parts cuts the answer, which is dearer, then the prompt. */
const totalsOf = (prompt: number, completion: number, total: unknown): Checked => {
  if (!isTokenCount(total) || total === 0 || total >= prompt + completion) {
    return { promptTokens: prompt, completionTokens: completion };
  }
  const promptTokens = Math.min(prompt, total);
  return { promptTokens, completionTokens: total - promptTokens, doubts: ['total_differs'] };
};

/** Reads the details of one usage object. */
class StatedParts {
  readonly #doubts = new Set<UsageDoubt>();
  readonly #parts: Partial<Record<TokenPart, number>> = {};

  constructor(
    private readonly details: {
      readonly inputs: JsonObject;
      readonly outputs: JsonObject;
      /** Of OpenRouter. Searches are calls of tools, too. */
      readonly tools: JsonObject;
    },
  ) {}

  usage(stated: JsonObject, { prompt, completion }: Totals): Usage {
    const { outputs, tools } = this.details;
    const reasoning = this.#count(outputs['reasoning_tokens']);
    const total = stated['total_tokens'];
    // Older models of xAI count reasoning beside the completion: the total tells.
    const isBeside = reasoning !== undefined && total === prompt + completion + reasoning;
    const all = isBeside ? completion + reasoning : completion;
    const { doubts = [], ...totals } = totalsOf(prompt, all, total);
    for (const doubt of doubts) this.#doubts.add(doubt);
    this.#readInput(totals.promptTokens, stated['prompt_cache_hit_tokens']);
    this.#readOutput(totals.completionTokens, reasoning);
    const parts: UsageParts = this.#parts;
    const searches = this.#count(tools['web_search_requests']);
    const toolCalls = this.#count(tools['tool_calls_executed']);
    return {
      ...totals,
      source: 'provider',
      ...(Object.keys(parts).length > 0 && { parts }),
      ...(searches !== undefined && { searches }),
      ...(toolCalls !== undefined && { toolCalls }),
      ...(this.#doubts.size > 0 && { doubts: [...this.#doubts] }),
    };
  }

  #readInput(prompt: number, cacheHits: unknown): void {
    const { inputs } = this.details;
    const read = this.#count(inputs['cached_tokens']) ?? this.#count(cacheHits);
    const written = this.#count(inputs['cache_write_tokens']);
    const audio = this.#count(inputs['audio_tokens']);
    const image = this.#count(inputs['image_tokens']);
    // Reading is the cheapest class, so it is believed first.
    let left = this.#take('cache_read_tokens', read, prompt);
    left = this.#take('cache_write_30m_tokens', written, left);
    if ((audio ?? 0) + (image ?? 0) <= left) {
      left = this.#take('audio_input_tokens', audio, left);
      this.#take('image_input_tokens', image, left);
    } else {
      this.#doubts.add('parts_overlap');
    }
  }

  #readOutput(completion: number, reasoning: number | undefined): void {
    const left = this.#take('reasoning_tokens', reasoning, completion);
    this.#take('audio_output_tokens', this.#count(this.details.outputs['audio_tokens']), left);
  }

  /** @returns the tokens of the total that are left for other parts */
  #take(part: TokenPart, count: number | undefined, left: number): number {
    if (count === undefined) return left;
    if (count > left) this.#doubts.add('parts_above_total');
    this.#parts[part] = Math.min(count, left);
    return left - Math.min(count, left);
  }

  /** Undefined for a count that is not stated; one that cannot be is refused. */
  #count(value: unknown): number | undefined {
    if (value === undefined || value === null) return undefined;
    if (isTokenCount(value)) return value;
    this.#doubts.add('bad_count');
    return undefined;
  }
}
