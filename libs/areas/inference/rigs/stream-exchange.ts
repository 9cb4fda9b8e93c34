import { type Usage, usageObject } from '#platform/chats/chat-usage.js';
import { type ChatChunk, type ChatRequest, type JsonObject, RigError } from './chat-backend.js';
import { failureOfErrorChunk } from './rig-failure.js';
import { ServerSentEvents } from './server-sent-events.js';
import { serviceTierOf, statedUsage } from './openai-usage.js';
import { takeCost } from './stated-cost.js';
import { countedPromptTokens, deltasOf, isObject } from './token-usage.js';
import { type ExchangeLimits, parseObject, UpstreamExchange } from './upstream-exchange.js';

/**
 * A stream of chunks, parsed as bytes arrive and delivered in pages. A page has all chunks since
 * the last page; for a fast consumer that is one read of the socket.
 */
export class StreamExchange extends UpstreamExchange {
  private readonly events: ServerSentEvents;
  private waiting: (() => void) | null = null;
  private page: ChatChunk[] = [];
  private pageBytes = 0;
  private pageDeltas = 0;
  private taken = false;
  private paused = false;
  private finished = false;
  private last: JsonObject | null = null;
  private stated: Usage | null = null;
  private tier: string | undefined;
  /** Deltas handed out since the upstream last stated its usage. */
  private deltas = 0;

  constructor(
    limits: ExchangeLimits,
    private readonly request: ChatRequest,
    private readonly usageAsked: boolean,
  ) {
    super(limits);
    const { answerBytesMax: charactersMax } = limits;
    this.events = new ServerSentEvents((data) => {
      this.event(data);
    }, charactersMax);
  }

  get hasPage(): boolean {
    return this.page.length > 0;
  }

  get isSettled(): boolean {
    return this.settled;
  }

  /** Resolves when there is a page or the end. */
  arrival(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting = resolve;
    });
  }

  /** Hands the page to the consumer; from now on its deltas are charged. */
  take(): readonly ChatChunk[] {
    const { page } = this;
    this.deltas += this.pageDeltas;
    this.page = [];
    this.pageBytes = 0;
    this.pageDeltas = 0;
    this.taken = true;
    if (this.paused && !this.settled) {
      this.paused = false;
      this.controller?.resume();
    }
    return page;
  }

  /**
   * The usage of the stream, once it has ended and its pages were read.
   * @throws RigError when it broke; a cancelled stream that handed out something did not break
   */
  usage(): Usage {
    const { failure } = this;
    if (!failure || (failure.kind === 'cancelled' && this.taken)) return this.used();
    if (!this.taken) throw failure;
    const kind = failure.kind === 'unreachable' ? 'broken-off' : failure.kind;
    throw new RigError(kind, failure.message, {
      ...failure.details,
      cause: failure.cause,
      used: this.used(),
    });
  }

  /** The usage chunk for a caller with `include_usage`, when the upstream sent no valid one. */
  owedUsageChunk(): ChatChunk | null {
    if (!this.usageAsked || this.stated || this.failure || !this.last) return null;
    const { id, object, created, model } = this.last;
    return { id, object, created, model, choices: [], usage: usageObject(this.used()) };
  }

  protected override accept(bytes: Buffer): void {
    if (this.settled) {
      // Only the end may follow `[DONE]`; a server that sends more loses the connection.
      this.controller?.abort(new Error('the stream was over'));
      return;
    }
    this.pageBytes += bytes.length;
    this.events.push(bytes);
    const { answerBytesMax, pendingBytesMax, rig } = this.limits;
    if (this.events.isTooLong) {
      const message = `rig ${rig} sent an event over ${answerBytesMax} characters`;
      this.fail(new RigError('malformed', message));
    } else if (this.pageBytes > pendingBytesMax && this.page.length > 0 && !this.isSettled) {
      this.paused = true;
      this.controller?.pause();
    }
    if (this.page.length > 0) this.wake();
  }

  protected override ended(): void {
    this.events.end();
    const { rig } = this.limits;
    // Some servers omit `[DONE]`; a finish reason also proves that nothing is missing.
    if (this.finished) this.settle(null);
    else if (this.last) this.settle(new RigError('broken-off', `rig ${rig} ended a stream early`));
    else this.settle(new RigError('malformed', `rig ${rig} answered without a chunk`));
  }

  protected override wake(): void {
    const { waiting } = this;
    this.waiting = null;
    waiting?.();
  }

  private event(data: string): void {
    if (this.settled) return;
    const { rig } = this.limits;
    if (data === '[DONE]') {
      if (this.last) this.settle(null);
      else this.fail(new RigError('malformed', `rig ${rig} answered without a chunk`));
      return;
    }
    const parsed = parseObject(data);
    const chunk = parsed && takeCost(parsed, this.request.cost);
    if (chunk && (chunk['error'] ?? null) !== null) this.fail(this.errorChunk(chunk['error']));
    else if (chunk && Array.isArray(chunk['choices'])) this.chunk(chunk, chunk['choices']);
    else this.fail(new RigError('malformed', `rig ${rig} sent a chunk that cannot be read`));
  }

  private errorChunk(error: unknown): RigError {
    const failure = failureOfErrorChunk(this.limits.rig, error);
    if (!this.last) return failure;
    return new RigError('broken-off', failure.message, failure.details);
  }

  private chunk(chunk: JsonObject, choices: readonly unknown[]): void {
    this.last = chunk;
    this.tier ??= serviceTierOf(chunk);
    this.pageDeltas += deltasOf(choices);
    if (choices.some(hasFinishReason)) this.finished = true;
    if ('usage' in chunk) this.chunkWithUsage(chunk, choices);
    else this.page.push(chunk);
  }

  /** A usage that was not requested, or is not valid, is removed. */
  private chunkWithUsage(chunk: JsonObject, choices: readonly unknown[]): void {
    const { usage, ...rest } = chunk;
    const stated = statedUsage(usage);
    if (stated) {
      this.stated = stated;
      this.deltas = 0;
      this.pageDeltas = 0;
    }
    if (this.usageAsked && (stated || usage === null)) this.page.push(chunk);
    else if (choices.length > 0 || usage === null) this.page.push(rest);
  }

  /** The last stated usage, plus the count of later chunks. */
  protected override used(): Usage {
    const { stated, deltas, tier } = this;
    const answered = tier === undefined ? {} : { serviceTier: tier };
    if (stated && deltas === 0) return { ...stated, ...answered };
    const { body, promptTokensMax } = this.request;
    return {
      ...stated,
      ...answered,
      promptTokens: stated?.promptTokens ?? countedPromptTokens(body, promptTokensMax),
      completionTokens: (stated?.completionTokens ?? 0) + deltas,
      source: 'counted',
    };
  }
}

const hasFinishReason = (choice: unknown): boolean =>
  isObject(choice) && typeof choice['finish_reason'] === 'string';
