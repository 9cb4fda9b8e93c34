import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type Usage } from '#platform/chats/chat-usage.js';
import { type ChatChunk, type ChatRequest, type JsonObject } from './chat-backend.js';

/** A request that the fake upstream received. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: JsonObject;
  /** Resolves with the instant at which the caller's connection closed before the answer ended. */
  readonly left: Promise<number>;
}

export type Script = (response: ServerResponse, received: Received) => void;

export interface Upstream {
  readonly baseUrl: string;
  readonly received: Received[];
  close(): Promise<void>;
}

/** A real HTTP server: the n-th script answers the n-th request, the last one all later ones. */
export const startUpstream = async (...scripts: readonly Script[]): Promise<Upstream> => {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const left = once(response, 'close').then(() => performance.now());
      const { headers, url: path = '' } = request;
      // A GET has no body.
      const body = JSON.parse(Buffer.concat(parts).toString() || '{}') as JsonObject;
      const item = { path, headers, body, left };
      received.push(item);
      scripts[Math.min(received.length, scripts.length) - 1]?.(response, item);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    received,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

export const requestOf = (body: JsonObject = {}, promptTokensMax = 1_000): ChatRequest => ({
  body: { model: 'm', messages: [{ role: 'user', content: 'Tell me more' }], ...body },
  promptTokensMax,
});

const HEAD = { id: 'chatcmpl-1', created: 1, model: 'm' };

export const completionOf = (content: string, usage?: unknown): JsonObject => ({
  ...HEAD,
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  ...(usage !== undefined && { usage }),
});

export const deltaOf = (delta: JsonObject, finishReason: string | null = null): ChatChunk => ({
  ...HEAD,
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason: finishReason }],
});

export const usageChunkOf = (usage: unknown): ChatChunk => ({
  ...HEAD,
  object: 'chat.completion.chunk',
  choices: [],
  usage,
});

export const statement = (promptTokens: unknown, completionTokens: unknown): JsonObject => ({
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
});

export const eventOf = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;

export const DONE = 'data: [DONE]\n\n';

/** The chunks of an answer, one word each, as a correct server sends them. */
export const chunksOf = (...words: readonly string[]): readonly ChatChunk[] => [
  deltaOf({ role: 'assistant', content: '' }),
  ...words.map((content) => deltaOf({ content })),
  deltaOf({}, 'stop'),
];

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Script =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

/** Sends the texts as they are, and ends the response unless it is to hang. */
export const sse =
  (texts: readonly string[], ending: 'end' | 'hang' | 'destroy' = 'end'): Script =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const text of texts) response.write(text);
    if (ending === 'end') response.end();
    if (ending === 'destroy') setTimeout(() => response.destroy(), 20);
  };

export const never = new AbortController().signal;

/** Reads a stream to its end. */
export const drain = async (
  pages: AsyncGenerator<readonly ChatChunk[], Usage, void>,
): Promise<{ chunks: ChatChunk[]; usage: Usage }> => {
  const chunks: ChatChunk[] = [];
  for (;;) {
    const page = await pages.next();
    if (page.done) return { chunks, usage: page.value };
    chunks.push(...page.value);
  }
};

/** The text that a client would show. */
export const textOf = (chunks: readonly ChatChunk[]): string =>
  chunks
    .flatMap(({ choices }) => choices as { delta?: { content?: string } }[])
    .map(({ delta }) => delta?.content ?? '')
    .join('');
