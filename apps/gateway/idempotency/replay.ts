import { type FastifyReply } from 'fastify';
import { type StoredAnswer } from '#platform/idempotency/answer-store.port.js';
import { type AnswerRecorder } from './answer-recorder.js';
import { type IdempotentMetadata, REPLAY_HEADER } from './idempotency.metadata.js';

const JSON_TYPE = 'application/json; charset=utf-8';

type Headers = Readonly<Record<string, string>>;

/** The current headers of a reply. */
export const responseHeadersOf = (reply: FastifyReply): Headers =>
  Object.fromEntries(
    Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]),
  );

/** Records the body that Nest sends for a value, and the headers that the method has set. */
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

/** Sends a stored answer. @returns the value that Nest sends, if the method returns one */
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
