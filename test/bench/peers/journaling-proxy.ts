/**
 * The floor that matters: the bare proxy that also keeps the books. A hold is durable before the
 * upstream is called, a capture before the answer ends; nothing is checked, priced or parsed, so
 * no gateway with durable accounting on this runtime can be expected to beat it.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { UPSTREAM_MODEL } from '../load/workload.js';
import { GroupCommitJournal } from './group-commit-journal.js';
import { requiredPort } from './peer-environment.js';
import { callUpstream, endToEndHeaders } from './upstream-call.js';

const upstreamPort = requiredPort('UPSTREAM_PORT');
const journal = await GroupCommitJournal.open(process.env['JOURNAL'] ?? 'journal.jsonl');

/** As large as an event of a ledger with its envelope: about 470 bytes. */
const entry = (type: string, requestId: string, amountMicroUsd: string): string =>
  JSON.stringify({
    id: randomUUID(),
    stream: 'account-0190e0f4-7c1e-7a55-b1a2-000000000001',
    type,
    version: 1,
    data: {
      holdId: requestId,
      model: UPSTREAM_MODEL,
      rateCard: `${UPSTREAM_MODEL}@1`,
      amountMicroUsd,
    },
    metadata: {
      requestId,
      correlationId: requestId,
      actor: 'user-0190e0f4-7c1e-7a55-b1a2-000000000001',
      recordedAt: new Date().toISOString(),
    },
  });

const capture = (requestId: string): Promise<void> =>
  journal.append(entry('HoldCaptured', requestId, '16'));

/** Chunks go out as they come; only the end of the answer waits for the books. */
const relayStream = async (
  requestId: string,
  answer: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  response.writeHead(answer.statusCode ?? 502, endToEndHeaders(answer.headers));
  for await (const chunk of answer) response.write(chunk);
  await capture(requestId);
  response.end();
};

const relayWhole = async (
  requestId: string,
  answer: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const pieces: Buffer[] = [];
  for await (const piece of answer) pieces.push(piece as Buffer);
  await capture(requestId);
  response.writeHead(answer.statusCode ?? 502, endToEndHeaders(answer.headers));
  response.end(Buffer.concat(pieces));
};

const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
  const requestId = randomUUID();
  await journal.append(entry('HoldPlaced', requestId, '43'));
  const outgoing = callUpstream(upstreamPort, incoming, response, (answer) => {
    const isStream = answer.headers['content-type'] === 'text/event-stream';
    const relay = isStream ? relayStream : relayWhole;
    relay(requestId, answer, response).catch(() => response.destroy());
  });
  incoming.pipe(outgoing);
};

createServer((incoming, response) => {
  handle(incoming, response).catch(() => response.destroy());
}).listen(requiredPort('PORT'), '127.0.0.1');
