import { randomUUID } from 'node:crypto';
import { type ClientDuplexStream, status } from '@grpc/grpc-js';
import { within } from '#platform/kernel/within.js';
import {
  AccessDeniedError,
  AppendTooLargeError,
  CutStreamError,
  InvalidAppendError,
  StaleRevisionError,
  StoreUnavailableError,
} from '../event-store.errors.js';
import { isDenied } from './client-errors.js';
import { type BatchError, decodeBatchAnswer, encodeBatchAppend } from './batch-append.messages.js';
import { type AppendRequest, type ClientAppendResult } from './log-client.js';

/** Takes and gives encoded messages. */
export type BatchCall = ClientDuplexStream<Buffer, Buffer>;

interface UnderWay {
  readonly request: AppendRequest;
  readonly call: BatchCall;
  readonly resolve: (result: ClientAppendResult) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Appends over one long call, answered in any order. After the call ends, the next append opens
 * another one. The open appends of an ended call have an unknown outcome.
 */
export class BatchAppends {
  readonly #open: () => Promise<BatchCall>;
  readonly #underWay = new Map<string, UnderWay>();
  /** Calls that have been answered something. */
  readonly #answered = new WeakSet<BatchCall>();
  #current: Promise<BatchCall> | null = null;

  /** @param open begins a call to BatchAppend */
  constructor(open: () => Promise<BatchCall>) {
    this.#open = open;
  }

  /**
   * @throws an EventStoreError where the server rejected it, so that nothing was appended; anything
   *   else, TimedOutError among it, leaves the outcome unknown
   */
  async append(request: AppendRequest): Promise<ClientAppendResult> {
    const correlationId = randomUUID();
    try {
      return await within(this.#send(correlationId, request), request.deadlineMs);
    } finally {
      this.#underWay.delete(correlationId);
    }
  }

  async #send(correlationId: string, request: AppendRequest): Promise<ClientAppendResult> {
    this.#current ??= this.#begin();
    const call = await this.#current;
    const { stream, encoded, expected, deadlineMs } = request;
    return new Promise((resolve, reject) => {
      this.#underWay.set(correlationId, { request, call, resolve, reject });
      call.write(encodeBatchAppend(correlationId, stream, encoded, expected, deadlineMs));
    });
  }

  async #begin(): Promise<BatchCall> {
    try {
      const call = await this.#open();
      call.on('data', (bytes: Buffer) => this.#settle(call, bytes));
      call.on('error', (error: Error) => this.#end(call, error));
      call.on('end', () => this.#end(call, new Error('the server ended the call')));
      return call;
    } catch (error) {
      this.#current = null;
      throw error;
    }
  }

  #settle(call: BatchCall, bytes: Buffer): void {
    this.#answered.add(call);
    const { correlationId, outcome } = decodeBatchAnswer(bytes);
    const found = this.#underWay.get(correlationId);
    if (found === undefined) return;
    if ('code' in outcome) found.reject(errorFrom(outcome, found.request));
    else found.resolve(outcome);
  }

  /** The call is the current one: the next begins when this one is over. */
  #end(call: BatchCall, error: Error): void {
    this.#current = null;
    const isRejected = !this.#answered.has(call) && isDenied(error);
    const reason = isRejected ? new AccessDeniedError(error.message, { cause: error }) : error;
    for (const underWay of this.#underWay.values()) {
      if (underWay.call === call) underWay.reject(reason);
    }
  }
}

const errorFrom = (error: BatchError, { stream, expected }: AppendRequest): Error => {
  const { code, message, reason, actual } = error;
  switch (reason) {
    case 'WrongExpectedVersion':
      return new StaleRevisionError(stream, expected, actual);
    case 'MaximumAppendSizeExceeded':
      return new AppendTooLargeError(`larger than the server takes: ${message}`);
    case 'StreamDeleted':
      return new CutStreamError(stream, 0n, null);
    case 'AccessDenied':
      return new AccessDeniedError('the event store denies access');
    default:
      return errorOfStatus(code, message);
  }
};

const errorOfStatus = (code: number, message: string): Error => {
  // A server that is not ready, or whose disk is full, tells so before it has done anything.
  if (code === UNAVAILABLE) return new StoreUnavailableError(message);
  if (code === INVALID_ARGUMENT) return new InvalidAppendError(message);
  return new Error(`the event store answered ${status[code] ?? code}: ${message}`);
};

const UNAVAILABLE: number = status.UNAVAILABLE;
const INVALID_ARGUMENT: number = status.INVALID_ARGUMENT;
