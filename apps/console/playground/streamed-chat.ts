import { ApiError, failureOf } from '../shell/api.js';
import { routeOf } from '../shell/routes.js';
import { eventsIn } from '../shell/server-events.js';
import { writeForStream } from '../shell/session.js';

/** The fields of a chat that the page sends. */
export interface ChatBody {
  readonly model: string;
  readonly routing_mode: string;
  readonly max_tokens?: number;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

interface Chunk {
  readonly choices?: readonly { readonly delta?: { readonly content?: string | null } }[];
  readonly error?: object;
}

/** The id of the request, which the log has it under, and then the pieces of the answer. */
export interface StreamedChat {
  readonly requestId: string | null;
  readonly pieces: AsyncGenerator<string>;
}

const CHATS = routeOf('/v1/chat/completions');
const END = '[DONE]';

const piecesIn = async function* (
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<string> {
  for await (const { data } of eventsIn(body)) {
    if (data === END) return;
    const chunk = JSON.parse(data) as Chunk;
    if (chunk.error) throw failureOf(0, chunk);
    const piece = chunk.choices?.[0]?.delta?.content ?? '';
    if (piece !== '') yield piece;
  }
};

/** @throws ApiError where the gateway rejects the chat */
export const streamedChat = async (body: ChatBody, signal: AbortSignal): Promise<StreamedChat> => {
  const reply = await writeForStream(CHATS, {
    method: 'POST',
    body: { ...body, stream: true },
    idempotencyKey: crypto.randomUUID(),
    signal,
  });
  if (!reply.ok) throw failureOf(reply.status, await reply.json().catch(() => null));
  if (!reply.body) throw new ApiError('The answer has no body.', reply.status, 'unknown');
  return { requestId: reply.headers.get('x-request-id'), pieces: piecesIn(reply.body) };
};
