import { createParser, type EventSourceParser } from 'eventsource-parser';
import { type FrameReader } from './dialects/dialect.js';

/** The standard drops an event without its empty line; this ends the line and the event. */
const EMPTY_LINE = '\n\n';

/**
 * The names and `data` of server-sent events, from bytes as they arrive (WHATWG HTML, 9.2.6): the package
 * `eventsource-parser` behind a decoder that keeps a character whose bytes are split over packets.
 * Why a package: `../decisions/0003-server-sent-events-by-a-package.md`.
 */
export class ServerSentEvents implements FrameReader {
  private readonly decoder = new TextDecoder();
  private readonly parser: EventSourceParser;
  private overflowed = false;

  /** @param charactersMax of one unfinished event, after which nothing more is parsed */
  constructor(onEvent: (data: string, name: string | undefined) => void, charactersMax: number) {
    this.parser = createParser({
      onEvent: ({ data, event }) => onEvent(data, event),
      onError: ({ type }) => {
        // Unknown fields are ignored, as the standard says.
        if (type === 'max-buffer-size-exceeded') this.overflowed = true;
      },
      maxBufferSize: charactersMax,
    });
  }

  /** An unfinished event has exceeded the limit. */
  get isTooLong(): boolean {
    return this.overflowed;
  }

  push(bytes: Buffer): void {
    if (!this.overflowed) this.parser.feed(this.decoder.decode(bytes, { stream: true }));
  }

  /**
   * The response ended. Some servers end with a bare `data: [DONE]`, and truncated JSON must be
   * reported, so an unfinished event counts.
   */
  end(): void {
    if (!this.overflowed) this.parser.feed(this.decoder.decode() + EMPTY_LINE);
  }
}
