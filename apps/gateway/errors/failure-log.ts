import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Logger } from 'pino';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { type Writable } from '#platform/kernel/writable.js';
import { namedModelOf } from '../bodies/named-model.js';
import { type Failure } from './envelope.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The log has a line about the failure of this request, or counts it. */
    isFailureLogged?: boolean;
  }
}

/** A request that failed. */
export interface FailedRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly failure: Failure;
  readonly error: unknown;
}

/** The facts that the log has of a caller. */
export interface CallerFacts {
  /** Absent before the caller is known. */
  readonly account?: string;
  /** The id of its key. Absent: it has another credential. */
  readonly key?: string;
}

/** The facts that the log has of every request. */
export interface RequestFacts extends CallerFacts {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly elapsedMs: number;
  /** The id that the body names. Absent: it names none, or was not read. */
  readonly model?: string;
}

export const callerFactsOf = (caller: Caller | undefined): CallerFacts => {
  const facts: Writable<CallerFacts> = {};
  if (caller) addCaller(facts, caller);
  return facts;
};

const addCaller = (facts: Writable<CallerFacts>, { accountId, credential }: Caller): void => {
  facts.account = accountId;
  if (credential.keyId !== undefined) facts.key = credential.keyId;
};

/** Without query, headers and the rest of the body, which may contain secrets. */
export const factsOf = (
  { id: requestId, method, url, caller, body }: FastifyRequest,
  { statusCode, elapsedTime: elapsedMs }: FastifyReply,
  status = statusCode,
): RequestFacts => {
  const query = url.indexOf('?');
  const path = query === -1 ? url : url.slice(0, query);
  const facts: Writable<RequestFacts> = { requestId, method, path, status, elapsedMs };
  if (caller) addCaller(facts, caller);
  const model = namedModelOf(body);
  if (model !== undefined) facts.model = model;
  return facts;
};

/** The failures of a rig and a code since the last line. */
interface Repeats {
  count: number;
  last: LoggedFailure | undefined;
}

interface LoggedFailure extends Pick<FailedRequest, 'failure' | 'error'> {
  readonly facts: RequestFacts;
}

const EVERY_MS = 1_000;
const CAUSES_MAX = 4;

/** Codes of failures that no retry ends, and an operator has to. */
const LOST: ReadonlySet<string> = new Set(['cut_stream', 'event_unreadable', 'content_lost']);

/**
 * Writes the requests that failed for the gateway or for a rig, or by their rate: one line each,
 * without a stack, at most one a second for a rig and a code. The next line says how many requests
 * it counts. Only a defect has its stack.
 */
export class FailureLog {
  readonly #repeats = new Map<string, Repeats>();
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(
    private readonly logger: Logger,
    private readonly everyMs: number = EVERY_MS,
  ) {}

  /** Whether callers can cause such a failure without limit and without a charge. */
  static concerns({ status }: Failure): boolean {
    return status >= 500 || status === 429;
  }

  /** Does nothing for the other failures, whose request has its usual line. */
  write({ request, reply, failure, error }: FailedRequest): void {
    if (!FailureLog.concerns(failure)) return;
    request.isFailureLogged = true;
    const status = reply.raw.headersSent ? reply.statusCode : failure.status;
    const line = { facts: factsOf(request, reply, status), failure, error };
    const key = `${failure.rig ?? ''}\n${failure.code}`;
    const repeats = this.#repeats.get(key);
    if (repeats) {
      repeats.count += 1;
      repeats.last = line;
      return;
    }
    this.#print(line, 1);
    this.#wait(key);
  }

  /** Writes what is still counted. */
  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    for (const { last, count } of this.#repeats.values()) if (last) this.#print(last, count);
    this.#timers.clear();
    this.#repeats.clear();
  }

  #wait(key: string): void {
    const repeats: Repeats = { count: 0, last: undefined };
    this.#repeats.set(key, repeats);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#repeats.delete(key);
      if (!repeats.last) return;
      this.#print(repeats.last, repeats.count);
      this.#wait(key);
    }, this.everyMs).unref();
    this.#timers.add(timer);
  }

  #print({ facts, failure, error }: LoggedFailure, count: number): void {
    const { code, rig, status } = failure;
    const line = {
      ...facts,
      code,
      ...(rig !== null && { rig }),
      ...(count > 1 && { repeated: count }),
    };
    if (status === 500) this.logger.error({ ...line, err: error }, 'request failed');
    else if (LOST.has(code)) {
      this.logger.error(
        { ...line, reason: reasonOf(error) },
        'request failed: stored data are lost',
      );
    } else this.logger.warn({ ...line, reason: reasonOf(error) }, 'request failed');
  }
}

/** The messages of an error and of its causes. */
const reasonOf = (error: unknown): string => {
  const messages: string[] = [];
  let cause = error;
  while (Error.isError(cause) && messages.length < CAUSES_MAX) {
    if (cause.message !== messages.at(-1)) messages.push(cause.message);
    ({ cause } = cause);
  }
  return messages.join(': ');
};
