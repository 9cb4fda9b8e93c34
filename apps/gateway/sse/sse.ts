import { type ServerResponse } from 'node:http';

/** Encodes server-sent events with JSON data. */
export const KEEP_ALIVE = ': keep-alive\n\n';
export const DONE = 'data: [DONE]\n\n';

export const dataEvent = (value: object): string => dataLine(JSON.stringify(value));

/** @param json one line */
export const dataLine = (json: string): string => `data: ${json}\n\n`;

/** An event with a name, and an id from which a client resumes. */
export const namedEvent = (name: string, id: string | null, value: object): string =>
  `${id === null ? '' : `id: ${id}\n`}event: ${name}\n${dataEvent(value)}`;

/** A comment between events. Clients ignore it, and programs may read it. */
export const comment = (text: string): string => `: ${text}\n\n`;

/** The headers of a stream that no proxy buffers. */
export const SSE_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
} as const;

/** Writes the texts of a stream to where it is read. */
export interface AnswerWriter {
  /** Resolves when there is room for more. */
  write(text: string): Promise<void>;
  end(): void | Promise<void>;
}

/**
 * Writes one stream of events. Waits while the caller's socket is full, and sends comments during
 * silence, so that proxies keep the connection.
 */
export class SseWriter implements AnswerWriter {
  readonly #keepAlive: NodeJS.Timeout;
  #lastWriteAt = performance.now();

  constructor(
    private readonly response: ServerResponse,
    keepAliveMs: number,
    /** After its abort, the writer does not wait for a slow caller. */
    private readonly signal: AbortSignal,
    /** Receives all bytes of the answer, for a replay. */
    private readonly tap?: (text: string) => void,
  ) {
    this.#keepAlive = setInterval(() => this.#fillSilence(keepAliveMs), keepAliveMs / 2);
    this.#keepAlive.unref();
  }

  /** Resolves when the socket drains or closes, or when the signal aborts. */
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

  /** Closes the full socket of a cut request, since its caller does not read. */
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
