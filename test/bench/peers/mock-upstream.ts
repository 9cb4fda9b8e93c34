/**
 * The upstream every peer is measured against: an OpenAI-compatible server that does nothing but
 * answer. A stream sends each of its chunks in its own write, as a model emits its tokens, so a
 * gateway pays for every chunk it forwards.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { requiredPort } from './peer-environment.js';
import { CONTENT_CHUNKS, UPSTREAM_MODEL } from '../load/workload.js';

const COMPLETION_ID = 'chatcmpl-bench';
const CREATED_AT_S = 1_750_000_000;
const USAGE = { prompt_tokens: 24, completion_tokens: CONTENT_CHUNKS, total_tokens: 44 };

const envelope = { id: COMPLETION_ID, created: CREATED_AT_S, model: UPSTREAM_MODEL };

const models = Buffer.from(
  JSON.stringify({
    object: 'list',
    data: [{ id: UPSTREAM_MODEL, object: 'model', created: CREATED_AT_S, owned_by: 'acme' }],
  }),
);

const completion = Buffer.from(
  JSON.stringify({
    ...envelope,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'word '.repeat(CONTENT_CHUNKS).trimEnd() },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: USAGE,
  }),
);

const dataLine = (choices: readonly object[], usage?: typeof USAGE): Buffer => {
  const chunk = { ...envelope, object: 'chat.completion.chunk', choices };
  return Buffer.from(`data: ${JSON.stringify(usage ? { ...chunk, usage } : chunk)}\n\n`);
};

const contentChunk = (index: number): Buffer =>
  dataLine([
    {
      index: 0,
      delta: index === 0 ? { role: 'assistant', content: 'word' } : { content: ' word' },
      finish_reason: index === CONTENT_CHUNKS - 1 ? 'stop' : null,
    },
  ]);

const contentChunks = Array.from({ length: CONTENT_CHUNKS }, (_, index) => contentChunk(index));
const usageChunk = dataLine([], USAGE);
const done = Buffer.from('data: [DONE]\n\n');
const chunksWithoutUsage = [...contentChunks, done];
const chunksWithUsage = [...contentChunks, usageChunk, done];

interface Asked {
  readonly stream?: boolean;
  /** Milliseconds between the chunks of a stream. */
  readonly seed?: number;
  readonly stream_options?: { readonly include_usage?: boolean };
}

const sendJson = (response: ServerResponse, statusCode: number, body: Buffer): void => {
  response.writeHead(statusCode, {
    'content-type': 'application/json',
    'content-length': body.length,
  });
  response.end(body);
};

/** Node joins the writes of one turn of the event loop into one system call; hence the turns. */
const sendStream = async (
  response: ServerResponse,
  chunks: readonly Buffer[],
  paceMs: number | undefined,
): Promise<void> => {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const chunk of chunks) {
    if (response.destroyed) return;
    response.write(chunk);
    await (paceMs === undefined ? nextTurn() : delay(paceMs));
  }
  response.end();
};

const complete = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const asked = JSON.parse(Buffer.concat(pieces).toString()) as Asked;
  if (!asked.stream) sendJson(response, 200, completion);
  else
    await sendStream(
      response,
      asked.stream_options?.include_usage ? chunksWithUsage : chunksWithoutUsage,
      asked.seed,
    );
};

const server = createServer((request, response) => {
  if (request.url === '/v1/models') sendJson(response, 200, models);
  else if (request.method === 'POST' && request.url === '/v1/chat/completions')
    complete(request, response).catch((error: unknown) => {
      console.error(error);
      response.destroy();
    });
  else sendJson(response, 404, Buffer.from('{"error":{"message":"no such route"}}'));
});

// Peers idle while others are measured; a kept-alive connection must still be good afterwards.
server.keepAliveTimeout = 3_600_000;
server.listen(requiredPort('PORT'), '127.0.0.1');
