import { type ServerResponse } from 'node:http';

/** Bytes of server-sent events that carry JSON, and the marks round them. */
export const KEEP_ALIVE = ': keep-alive\n\n';
export const DONE = 'data: [DONE]\n\n';

export const dataEvent = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;

/** A comment is legal between events and ignored by every client; programs may read it. */
export const comment = (text: string): string => `: ${text}\n\n`;

/**
 * Writes one stream of events: waits where the caller's socket is full, and fills silence with
 * comments so that no proxy in between gives the connection up.
 */
export class SseWriter {
  readonly #keepAlive: NodeJS.Timeout;
  #lastWriteAt = performance.now();

  constructor(
    private readonly response: ServerResponse,
    keepAliveMs: number,
    /** Once it fires, a caller who does not read is no longer waited for. */
    private readonly signal: AbortSignal,
    /** Sees all bytes that belong to the answer, for a replay. */
    private readonly tap?: (text: string) => void,
  ) {
    this.#keepAlive = setInterval(() => this.#fillSilence(keepAliveMs), keepAliveMs / 2);
    this.#keepAlive.unref();
  }

  /** Resolves when the caller's socket takes more, is gone, or is no longer waited for. */
  async write(text: string): Promise<void> {
    this.tap?.(text);
    this.#lastWriteAt = performance.now();
    if (this.response.destroyed || this.response.write(text) || this.signal.aborted) return;
    await new Promise<void>((resolve) => {
      const goOn = (): void => {
        this.response.off('drain', goOn).off('close', goOn);
        this.signal.removeEventListener('abort', goOn);
        resolve();
      };
      this.response.on('drain', goOn).on('close', goOn);
      this.signal.addEventListener('abort', goOn);
    });
  }

  /** A socket that was cut while it took nothing more is closed: its caller does not read. */
  end(): void {
    clearInterval(this.#keepAlive);
    const stuck = this.signal.aborted && this.response.writableNeedDrain;
    if (stuck) this.response.destroy();
    else this.response.end();
  }

  #fillSilence(keepAliveMs: number): void {
    if (this.response.destroyed) clearInterval(this.#keepAlive);
    else if (performance.now() - this.#lastWriteAt >= keepAliveMs) this.response.write(KEEP_ALIVE);
  }
}
