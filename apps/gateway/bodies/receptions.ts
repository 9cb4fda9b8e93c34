import { type IncomingMessage } from 'node:http';
import { type Socket } from 'node:net';
import { Linked, LinkedList } from '#platform/kernel/linked-list.js';
import { type FailureDescription } from '#platform/runtime/areas/failure.js';
import { HttpFailure } from '../errors/http-failure.js';
import { ByteBudget } from './byte-budget.js';
import { ReceivedBytes } from './received-bytes.js';

/** The largest body of a request without valid credentials, such as a login. */
export const ANONYMOUS_BODY_BYTES_MAX = 16_384;
/** The largest body of an account without money: parsing a larger one costs milliseconds. */
export const UNFUNDED_BODY_BYTES_MAX = 262_144;
/** The part of the budget that requests without credentials share; callers share the rest. */
const ANONYMOUS_PART = 0.25;

export interface ReceptionLimits {
  readonly bodyLimitBytes: number;
  /** Of all bodies that are being received. */
  readonly receivingBytesMax: number;
}

/** Who sends a body: without valid credentials, with an account without money, or with money. */
export type Sender = 'anonymous' | 'unfunded' | 'funded';

interface Share {
  readonly bodyBytesMax: number;
  readonly budget: ByteBudget;
}

/** A body that is being received: linked until it is over. */
class Reception extends Linked {
  readonly socket: Socket;
  private readonly received = new ReceivedBytes();

  constructor(
    private readonly message: IncomingMessage,
    private readonly sender: Sender,
    private readonly share: Share,
    private readonly open: LinkedList<Reception>,
    private readonly resolve: (bytes: Buffer) => void,
    private readonly reject: (failure: HttpFailure) => void,
  ) {
    super();
    this.socket = message.socket;
    open.add(this);
    message.on('data', this.add).on('end', () => this.end());
    // Comes after every end, too.
    message.on('close', () => this.fail(callerLeft));
  }

  /** Does nothing once it is over. */
  fail(failure: () => HttpFailure): void {
    if (!this.isLinked) return;
    this.leave();
    this.message.off('data', this.add).pause();
    this.reject(failure());
  }

  private readonly add = (chunk: Buffer): void => {
    const { bodyBytesMax, budget } = this.share;
    if (this.received.length + chunk.length > bodyBytesMax) {
      this.fail(() => tooLarge(bodyBytesMax, this.sender));
    } else if (budget.take(chunk.length)) this.received.add(chunk);
    else this.fail(tooManyBytes);
  };

  private end(): void {
    if (!this.isLinked) return;
    this.leave();
    this.resolve(this.received.bytes());
  }

  private leave(): void {
    this.share.budget.giveBack(this.received.length);
    this.open.delete(this);
  }
}

/** Receives bodies, within limits for each and for all together. */
export class Receptions {
  readonly #open = new LinkedList<Reception>();
  /** Sockets that no more of a body comes from. */
  readonly #failed = new WeakMap<Socket, HttpFailure>();
  readonly #shares: Readonly<Record<Sender, Share>>;
  #isClosed = false;

  constructor({ bodyLimitBytes, receivingBytesMax }: ReceptionLimits) {
    const anonymousBytesMax = Math.floor(receivingBytesMax * ANONYMOUS_PART);
    const budget = new ByteBudget(receivingBytesMax - anonymousBytesMax);
    this.#shares = {
      funded: { bodyBytesMax: bodyLimitBytes, budget },
      unfunded: { bodyBytesMax: Math.min(bodyLimitBytes, UNFUNDED_BODY_BYTES_MAX), budget },
      anonymous: {
        bodyBytesMax: Math.min(bodyLimitBytes, ANONYMOUS_BODY_BYTES_MAX),
        budget: new ByteBudget(anonymousBytesMax),
      },
    };
  }

  /**
   * Reads the body of a request.
   * @param declaredBytes of the header `content-length`, if it has one
   * @throws HttpFailure 413 above the limit of a body, 503 above the limit of all bodies or after
   *   `close`, or the failure that `fail` is called with
   */
  receive(message: IncomingMessage, sender: Sender, declaredBytes = 0): Promise<Buffer> {
    const { socket } = message;
    const failed = this.#isClosed ? shuttingDown() : this.#failed.get(socket);
    if (failed) return Promise.reject(failed);
    if (message.destroyed) return Promise.reject(callerLeft());
    const share = this.#shares[sender];
    if (declaredBytes > share.bodyBytesMax) {
      return Promise.reject(tooLarge(share.bodyBytesMax, sender));
    }
    return new Promise((resolve, reject) => {
      new Reception(message, sender, share, this.#open, resolve, reject);
    });
  }

  /** Ends the reception on this socket, or the one that its guards have yet to admit. */
  fail(socket: Socket, description: FailureDescription): void {
    const failure = new HttpFailure(description);
    this.#failed.set(socket, failure);
    // The last one is the request that Node parses.
    const open = this.#open.toArray().find((reception) => reception.socket === socket);
    open?.fail(() => failure);
  }

  /** Ends every reception, now and later, with 503. */
  close(): void {
    this.#isClosed = true;
    for (const reception of this.#open.toArray()) reception.fail(shuttingDown);
  }
}

const LIMITED: Readonly<Record<Sender, string>> = {
  funded: '',
  unfunded: ', the limit of an account without money',
  anonymous: ', the limit of a request without credentials',
};

const tooLarge = (bytesMax: number, sender: Sender): HttpFailure =>
  new HttpFailure({
    status: 413,
    code: 'body_too_large',
    message: `the body is larger than ${bytesMax} bytes${LIMITED[sender]}`,
  });

const tooManyBytes = (): HttpFailure =>
  new HttpFailure({
    status: 503,
    code: 'too_many_bodies',
    message: 'the gateway receives too many bodies at the same time; try again',
    retryAfterSeconds: 1,
  });

const shuttingDown = (): HttpFailure =>
  new HttpFailure({
    status: 503,
    code: 'draining',
    message: 'the gateway is shutting down; try again',
    retryAfterSeconds: 5,
  });

/** The caller does not receive it; the log has it. */
const callerLeft = (): HttpFailure =>
  new HttpFailure({
    status: 400,
    code: 'body_incomplete',
    message: 'the connection was closed before the end of the body',
  });
