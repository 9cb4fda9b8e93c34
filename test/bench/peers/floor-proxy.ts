/**
 * The floor: the least a Node process can do that keeps the promises of Quipu about a chat. The key
 * is hashed, the body parsed, and an exact hold is durable in a chained log before the upstream is
 * asked; the charge is durable before the answer ends. It has no routes, limits, readers or
 * framework, so the distance of Quipu from it is Quipu's own code.
 */
import { hash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Dispatcher, Pool } from 'undici';
import { FloorLog } from './floor-log.js';
import { requiredPath, requiredPort } from './peer-environment.js';

/** Micro-dollars for a million tokens, as in the catalog of the bench. */
const INPUT_PRICE = 150_000n;
const OUTPUT_PRICE = 600_000n;
const OPENING_CREDIT = 10_000_000_000n;
const OUTPUT_TOKENS_MAX = 4_096;

interface Account {
  readonly id: string;
  availableMicroUsd: bigint;
  revision: number;
}

interface Asked {
  readonly model: string;
  readonly max_tokens?: number;
  readonly stream?: boolean;
}

interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
}

/** A request whose bound is held. */
interface Held {
  readonly account: Account;
  readonly requestId: string;
  readonly boundMicroUsd: bigint;
  readonly isStream: boolean;
}

const log = new FloorLog(requiredPath('FLOOR_LOG'));
const pool = new Pool(`http://127.0.0.1:${requiredPort('UPSTREAM_PORT')}`);
const accounts = new Map<string, Account>();

const accountOf = (authorization: string | undefined): Account => {
  const id = hash('sha256', authorization ?? '');
  const known = accounts.get(id);
  if (known) return known;
  const account = { id, availableMicroUsd: OPENING_CREDIT, revision: 0 };
  accounts.set(id, account);
  return account;
};

const priceOf = (inputTokens: number, outputTokens: number): bigint =>
  (BigInt(inputTokens) * INPUT_PRICE + BigInt(outputTokens) * OUTPUT_PRICE + 999_999n) / 1_000_000n;

const record = (account: Account, type: string, data: object): Promise<void> => {
  const { id, revision } = account;
  account.revision += 1;
  const stream = `account-${id}`;
  return log.append({ id: randomUUID(), stream, revision, type, recordedAt: Date.now(), data });
};

/** The last frame with an object is the one with the usage. */
const usageOf = (reply: Buffer, isStream: boolean): Usage => {
  const start = isStream ? reply.lastIndexOf('data: {') + 'data: '.length : 0;
  const end = isStream ? reply.indexOf('\n\n', start) : reply.length;
  return (JSON.parse(reply.toString('utf8', start, end)) as { readonly usage: Usage }).usage;
};

const charge = (held: Held, usage: Usage): Promise<void> => {
  const { account, requestId, boundMicroUsd } = held;
  const amountMicroUsd = priceOf(usage.prompt_tokens, usage.completion_tokens);
  account.availableMicroUsd += boundMicroUsd - amountMicroUsd;
  const data = { requestId, usage, amountMicroUsd: String(amountMicroUsd) };
  return record(account, 'HoldCaptured', data);
};

const release = async ({ account, requestId, boundMicroUsd }: Held): Promise<void> => {
  account.availableMicroUsd += boundMicroUsd;
  await record(account, 'HoldReleased', { requestId });
};

/** Chunks of a stream go out as they come; the end of the answer waits for the charge. */
class Relay implements Dispatcher.DispatchHandler {
  readonly #pieces: Buffer[] = [];
  #head: Record<string, string> = {};
  #status = 502;

  constructor(
    private readonly held: Held,
    private readonly response: ServerResponse,
  ) {}

  /** Undici dispatches to no handler without it. */
  onRequestStart(): void {}

  onResponseStart(_: unknown, status: number, headers: Record<string, string | string[]>): void {
    this.#status = status;
    this.#head = { 'content-type': String(headers['content-type']) };
    if (this.held.isStream) this.response.writeHead(status, this.#head);
  }

  onResponseData(_: unknown, piece: Buffer): void {
    this.#pieces.push(piece);
    if (this.held.isStream) this.response.write(piece);
  }

  onResponseEnd(): void {
    this.#charge().catch((error: unknown) => this.response.destroy(error as Error));
  }

  onResponseError(_: unknown, error: Error): void {
    console.error(error);
    void release(this.held).then(() => {
      if (this.response.headersSent) this.response.destroy();
      else this.response.writeHead(502).end();
    });
  }

  async #charge(): Promise<void> {
    const { held, response } = this;
    const reply = Buffer.concat(this.#pieces);
    await charge(held, usageOf(reply, held.isStream));
    if (held.isStream) response.end();
    else
      response
        .writeHead(this.#status, { ...this.#head, 'content-length': reply.length })
        .end(reply);
  }
}

const serve = async (incoming: IncomingMessage, body: Buffer, response: ServerResponse) => {
  const account = accountOf(incoming.headers.authorization);
  const {
    model,
    max_tokens: maxTokens = OUTPUT_TOKENS_MAX,
    stream,
  } = JSON.parse(body.toString()) as Asked;
  // A token is a byte or more.
  const boundMicroUsd = priceOf(body.length, maxTokens);
  if (account.availableMicroUsd < boundMicroUsd) {
    response.writeHead(402).end();
    return;
  }
  account.availableMicroUsd -= boundMicroUsd;
  const requestId = randomUUID();
  const held = { account, requestId, boundMicroUsd, isStream: stream === true };
  await record(account, 'HoldPlaced', { requestId, model, boundMicroUsd: String(boundMicroUsd) });
  const headers = { 'content-type': 'application/json' };
  const request = { path: incoming.url ?? '/', method: 'POST', headers, body } as const;
  pool.dispatch(request, new Relay(held, response));
};

createServer((incoming, response) => {
  // The bench asks whether it listens.
  if (incoming.method === 'GET') return response.end();
  const pieces: Buffer[] = [];
  incoming.on('data', (piece: Buffer) => pieces.push(piece));
  return incoming.on('end', () => {
    serve(incoming, Buffer.concat(pieces), response).catch(() => response.destroy());
  });
}).listen(requiredPort('PORT'), '127.0.0.1');
