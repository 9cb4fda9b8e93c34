import { type Usage } from '#platform/chats/chat-usage.js';
import { type ChatChunk, RigError } from './chat-backend.js';
import { type AttemptMeter } from './rig-attempt.js';
import { type Visit } from './rig-state.js';

type Page = IteratorResult<readonly ChatChunk[], Usage>;

/**
 * A rig's pages, the first one read already, and the slot at the rig until they end. Not an async
 * generator function: one that was never started skips its `finally` when it is returned.
 */
export class VisitingPages implements AsyncGenerator<readonly ChatChunk[], Usage, void> {
  constructor(
    private readonly pages: AsyncGenerator<readonly ChatChunk[], Usage, void>,
    private first: Page | null,
    private readonly visit: Visit,
    private readonly meter: AttemptMeter,
  ) {
    if (first?.done) this.onPage(first);
  }

  next(): Promise<Page> {
    const { first } = this;
    if (!first) return this.pages.next().then(this.onPage, this.onError);
    this.first = null;
    return Promise.resolve(first);
  }

  return(usage: Usage): Promise<Page> {
    this.first = null;
    // The usage is the caller's: what the rig has done is not known.
    this.meter.abandoned();
    return this.pages.return(usage).then(this.onPage, this.onError);
  }

  throw(error: unknown): Promise<Page> {
    this.first = null;
    return this.pages.throw(error).then(this.onPage, this.onError);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.first = null;
    this.meter.abandoned();
    await this.pages[Symbol.asyncDispose]();
    this.visit.leave();
  }

  private readonly onPage = (page: Page): Page => {
    if (page.done) {
      this.meter.answered(page.value);
      this.visit.leave();
    }
    return page;
  };

  private readonly onError = (error: unknown): never => {
    this.meter.failed(error);
    if (error instanceof RigError) this.visit.failed(error);
    this.visit.leave();
    throw error;
  };
}
