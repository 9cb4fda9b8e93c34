import { type Usage, usageObject } from '#platform/chats/chat-usage.js';
import { type ChatChunk, type ChatRequest, type JsonObject, RigError } from './chat-backend.js';
import { countedPrompt } from './counted-usage.js';
import {
  type Dialect,
  type EventReader,
  type FrameFormat,
  type FrameReader,
  type StreamPiece,
} from './dialects/dialect.js';
import { asksForUsage } from './dialects/openai/openai.dialect.js';
import { failureOfEvent } from './rig-failure.js';
import { ServerSentEvents } from './server-sent-events.js';
import { takeCostIn } from './stated-cost.js';
import { type ExchangeLimits, UpstreamExchange } from './upstream-exchange.js';

/**
 * A stream of chunks, parsed as bytes arrive and delivered in pages. A page has all chunks since
 * the last page; for a fast consumer that is one read of the socket.
 */
export class StreamExchange extends UpstreamExchange {
  private readonly events: FrameReader;
  private readonly reader: EventReader;
  private readonly usageAsked: boolean;
  private waiting: (() => void) | null = null;
  private page: ChatChunk[] = [];
  private pageBytes = 0;
  private pageDeltas = 0;
  private taken = false;
  private paused = false;
  private finished = false;
  /** The provider has sent something other than an error. */
  private begun = false;
  private last: JsonObject | null = null;
  private stated: Usage | null = null;
  /** The chunks for the caller include the stated usage. */
  private showsUsage = false;
  /** Deltas handed out since the upstream last stated its usage. */
  private deltas = 0;

  constructor(
    limits: ExchangeLimits,
    private readonly request: ChatRequest,
    { reader, frames = serverSentEvents }: Pick<Dialect, 'reader' | 'frames'>,
  ) {
    super(limits);
    this.reader = reader(request);
    this.usageAsked = asksForUsage(request);
    this.events = frames((data, name) => this.event(data, name), limits.answerBytesMax);
  }

  get hasPage(): boolean {
    return this.page.length > 0;
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
    if (!this.usageAsked || this.showsUsage || this.failure || !this.last) return null;
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
    else if (this.begun) this.settle(new RigError('broken-off', `rig ${rig} ended a stream early`));
    else this.settle(new RigError('malformed', `rig ${rig} answered without a chunk`));
  }

  protected override wake(): void {
    const { waiting } = this;
    this.waiting = null;
    waiting?.();
  }

  private event(data: string, name: string | undefined): void {
    if (this.settled) return;
    const { rig } = this.limits;
    const piece = this.reader.read(takeCostIn(data, this.request.cost), name);
    if (!piece) {
      this.fail(new RigError('malformed', `rig ${rig} sent a chunk that cannot be read`));
      return;
    }
    if (piece.error) {
      this.fail(this.reported(failureOfEvent(rig, piece.error)));
      return;
    }
    this.add(piece);
    if (piece.isEnd !== true) this.begun = true;
    else if (this.begun) this.settle(null);
    else this.fail(new RigError('malformed', `rig ${rig} answered without a chunk`));
  }

  /** An error after chunks breaks the stream. */
  private reported(failure: RigError): RigError {
    if (!this.begun) return failure;
    return new RigError('broken-off', failure.message, failure.details);
  }

  private add({ chunks, deltas = 0, usage, serviceTier, isFinished }: StreamPiece): void {
    this.last = chunks.at(-1) ?? this.last;
    this.tier ??= serviceTier;
    this.pageDeltas += deltas;
    if (isFinished === true) this.finished = true;
    if (usage) {
      this.stated = usage;
      this.showsUsage ||= chunks.some((chunk) => (chunk['usage'] ?? null) !== null);
      this.deltas = 0;
      this.pageDeltas = 0;
    }
    this.page.push(...chunks);
  }

  /** The last stated usage, plus the count of later chunks. */
  protected override used(): Usage {
    const { stated, deltas, tier } = this;
    const answered = tier === undefined ? {} : { serviceTier: tier };
    if (stated && deltas === 0) return { ...stated, ...answered };
    const counted = countedPrompt(this.request);
    return {
      ...counted,
      ...stated,
      ...answered,
      completionTokens: (stated?.completionTokens ?? 0) + deltas,
      source: 'counted',
    };
  }
}

const serverSentEvents: FrameFormat = (onEvent, charactersMax) =>
  new ServerSentEvents(onEvent, charactersMax);
