/** Server-sent events, followed over broken connections. */
import { type ApiError, failureOf, send } from './api.js';

export interface ServerEvent {
  /** From which a client resumes; null: the event has none. */
  readonly id: string | null;
  readonly name: string;
  readonly data: string;
}

/** A first wait, doubled at each failure in a row, to at most the second. */
const RETRY_MS = 500;
const RETRY_MS_MAX = 10_000;
const TOO_MANY_REQUESTS = 429;

/**
 * Parses the text of a stream, in pieces of any length. Returns the events that a piece ends. Lines
 * end with a line feed, as the gateway writes them.
 */
export const eventParser = (): ((piece: string) => readonly ServerEvent[]) => {
  let rest = '';
  return (piece) => {
    const blocks = (rest + piece).split('\n\n');
    rest = blocks.pop() ?? '';
    return blocks.flatMap(eventOf);
  };
};

const eventOf = (block: string): readonly ServerEvent[] => {
  let [id, name]: [string | null, string] = [null, 'message'];
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const [, field, value = ''] = /^(id|event|data): ?(.*)$/.exec(line) ?? [];
    if (field === 'id') id = value;
    else if (field === 'event') name = value;
    else if (field === 'data') data.push(value);
  }
  return data.length === 0 ? [] : [{ id, name, data: data.join('\n') }];
};

/** The events of the body of an answer. */
export const eventsIn = async function* (
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<ServerEvent> {
  const parse = eventParser();
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield* parse(value);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
};

export type Connection = 'connecting' | 'open' | 'lost' | 'ended';

export interface Follow {
  readonly route: string;
  /** The id of the event behind which the stream begins; null: as the route does without one. */
  readonly after: string | null;
  readonly signal: AbortSignal;
  /** Whether no further event follows. */
  readonly isLast?: (event: ServerEvent) => boolean;
  readonly onEvent: (event: ServerEvent) => void;
  readonly onConnection: (connection: Connection) => void;
}

/**
 * Follows a route. A broken connection is opened again behind the last event, so none is missed
 * and none comes twice.
 * @throws ApiError where the gateway rejects the request
 */
export const follow = async ({ route, after, signal, ...follow }: Follow): Promise<void> => {
  const isLeft = (): boolean => signal.aborted;
  let last = after;
  let waitMs = RETRY_MS;
  while (!isLeft()) {
    try {
      const headers = {
        accept: 'text/event-stream',
        ...(last !== null && { 'last-event-id': last }),
      };
      const reply = await send(route, { headers, signal });
      if (!reply.ok || !reply.body) throw await rejectionOf(reply);
      follow.onConnection('open');
      for await (const event of eventsIn(reply.body)) {
        if (event.id !== null) {
          waitMs = RETRY_MS;
          last = event.id;
        }
        follow.onEvent(event);
        if (follow.isLast?.(event) === true) {
          follow.onConnection('ended');
          return;
        }
      }
    } catch (error) {
      if (isLeft()) return;
      if (isFinal(error)) throw error;
    }
    follow.onConnection('lost');
    await pause(waitMs, signal);
    waitMs = Math.min(2 * waitMs, RETRY_MS_MAX);
  }
};

const rejectionOf = async (reply: Response): Promise<ApiError> =>
  failureOf(reply.status, await reply.json().catch(() => null));

/** Whether another attempt would be answered alike. */
const isFinal = (error: unknown): boolean => {
  const status = (error as Partial<ApiError>).status ?? 0;
  return status >= 400 && status < 500 && status !== TOO_MANY_REQUESTS;
};

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
