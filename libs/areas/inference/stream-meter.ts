import { type StreamReceipt } from '#platform/chats/chat-strategy.js';
import { type Capture, type LedgerEntry } from '#platform/ledger/hold.js';
import { type ChatOrder } from '#platform/chats/chat-order.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type CutReason, cutOf, RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { type Usage } from '#platform/chats/chat-usage.js';
import { type TextHasher } from '#platform/secrets/keyed-hasher.js';
import { type AdmittedChat } from './chat-admission.js';
import { type Echo, echoedJson } from './echoed-json.js';
import { deltaText, modelOf } from './reply.js';
import { type ChatChunk, RigError } from './rigs/chat-backend.js';
import { type AnsweredBy, shownModel } from './route-chat.js';
import { originalOf } from './rigs/json-source.js';
import { type RoutedStream } from './rigs/rig-router.js';

/** Of chunks as JSON, a line each. */
type Pages = AsyncGenerator<readonly string[], StreamReceipt, void>;

/** Delivers pages and ends the hold exactly once. A cut stream costs its delivered part. */
export class StreamMeter {
  #reply = '';
  #modelAnswered: string | null = null;
  #pagesDelivered = 0;
  #bytesOut = 0;
  #firstByteMs: number | undefined;
  #settled = false;

  constructor(
    private readonly admitted: AdmittedChat,
    private readonly answered: AnsweredBy<RoutedStream>,
    private readonly hash: TextHasher,
    /** Its signal is the one that the rig was given. */
    private readonly reading: AbortController,
    private readonly clock: Clock,
  ) {}

  /** The first page is empty and available at once: reading it starts the meter. */
  async *pages(order: ChatOrder): Pages {
    const model = shownModel(order, this.answered.answeredBy);
    const echo: Echo = { model, routing_mode: order.routingMode };
    const { pictures: described_images } = this.admitted;
    // The first page says which words stood for pictures.
    const first = described_images ? { ...echo, described_images } : echo;
    try {
      yield [];
      for (;;) {
        const page = await this.#read();
        if (page.done) return await this.#end(page.value);
        for (const chunk of page.value) this.#see(chunk);
        const said = this.#pagesDelivered === 0 ? first : echo;
        this.#pagesDelivered += 1;
        this.#firstByteMs ??= Math.max(0, this.clock.now() - order.receivedAtMs);
        const lines = page.value.map((chunk) => originalOf(chunk) ?? echoedJson(chunk, said));
        for (const line of lines) this.#bytesOut += Buffer.byteLength(line);
        yield lines;
      }
    } finally {
      if (!this.#settled) await this.#abandon();
    }
  }

  #see(chunk: ChatChunk): void {
    this.#reply += deltaText(chunk);
    this.#modelAnswered ??= modelOf(chunk);
  }

  async #read(): Promise<IteratorResult<readonly ChatChunk[], Usage>> {
    try {
      return await this.answered.routed.pages.next();
    } catch (error) {
      await this.#settleBroken(error);
      throw error;
    }
  }

  async #end(usage: Usage): Promise<StreamReceipt> {
    const cut = cutOf(this.reading.signal);
    return { usage, entry: await this.#settle(usage, cut?.reason ?? 'completed'), cut };
  }

  /** The consumer returned early: the delivered part is charged, the upstream is stopped. */
  async #abandon(): Promise<void> {
    const { pages } = this.answered.routed;
    this.reading.abort(new RequestCutError('client_gone'));
    if (this.#pagesDelivered === 0) {
      this.#settled = true;
      try {
        await pages[Symbol.asyncDispose]();
      } finally {
        await this.admitted.release('client_gone');
      }
      return;
    }
    let page = await this.#read();
    for (; !page.done; page = await this.#read()) for (const chunk of page.value) this.#see(chunk);
    await this.#end(page.value);
  }

  async #settleBroken(error: unknown): Promise<void> {
    const used = error instanceof RigError ? error.details.used : undefined;
    if (used) {
      await this.#settle(used, 'upstream_failed');
      return;
    }
    this.#settled = true;
    await this.admitted.release(error instanceof RigError ? 'upstream_failed' : 'internal_error');
  }

  async #settle(usage: Usage, outcome: Capture['outcome']): Promise<LedgerEntry | null> {
    this.#settled = true;
    if (outcome !== 'completed' && this.#isFree(usage, outcome)) {
      await this.admitted.release(outcome);
      return null;
    }
    const { routed, answeredBy } = this.answered;
    return this.admitted.capture({
      routed,
      answeredBy,
      usage,
      outcome,
      modelAnswered: this.#modelAnswered,
      replyHash: this.hash(this.#reply),
      bytesOut: this.#bytesOut,
      firstByteMs: this.#firstByteMs,
    });
  }

  /** An end before its time without output, unless the caller left and the model charges for it. */
  #isFree({ completionTokens }: Usage, outcome: CutReason | 'upstream_failed'): boolean {
    const { chargesCancelled } = this.answered.answeredBy.model;
    return completionTokens === 0 && !(outcome === 'client_gone' && chargesCancelled);
  }
}
