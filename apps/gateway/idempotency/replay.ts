import { type FastifyReply } from 'fastify';
import { type StoredAnswer } from '#platform/idempotency/answer-store.port.js';
import { type AnswerRecorder } from './answer-recorder.js';
import { type IdempotentMetadata, REPLAY_HEADER } from './idempotency.metadata.js';

const JSON_TYPE = 'application/json; charset=utf-8';

type Headers = Readonly<Record<string, string>>;

/** The headers that a reply has so far. */
export const responseHeadersOf = (reply: FastifyReply): Headers =>
  Object.fromEntries(
    Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]),
  );

/** Records what Nest sends for a value, and those headers that its method has set. */
export const recordValue = (
  value: unknown,
  reply: FastifyReply,
  before: Headers,
  recorder: AnswerRecorder,
): void => {
  const own = Object.entries(responseHeadersOf(reply)).filter(
    ([name, text]) => before[name] !== text,
  );
  const hasBody = value !== undefined;
  recorder.head({ ...(hasBody && { 'content-type': JSON_TYPE }), ...Object.fromEntries(own) });
  if (hasBody) recorder.text(JSON.stringify(value));
};

/** Sends a kept answer. @returns the value that Nest is to send, where the method returns one */
export const replay = (
  { status, headers, body }: StoredAnswer,
  reply: FastifyReply,
  kind: IdempotentMetadata['reply'],
): Buffer | undefined => {
  void reply.status(status).headers({ ...headers, [REPLAY_HEADER]: 'true' });
  const bytes = Buffer.from(body);
  if (kind === 'value') return bytes.byteLength === 0 ? undefined : bytes;
  void reply.send(bytes);
  return undefined;
};
