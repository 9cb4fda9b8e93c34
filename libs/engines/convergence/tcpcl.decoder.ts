import { ConvergenceError } from './convergence.errors.js';
import {
  type ExtensionItem,
  isCriticalOf,
  isReplyOf,
  type Message,
  REJECTIONS,
  SEGMENT_FLAGS,
  TYPES,
} from './tcpcl.messages.js';

/** All items of a message. RFC 9174 defines one, of 13 bytes. */
export const ITEM_BYTES_MAX = 4_096;
const NODE_BYTES_MAX = 1_024;
const ITEM_HEAD_BYTES = 5;

/** More bytes must arrive before the message can be read. */
const INCOMPLETE = new Error('the message is incomplete');

/** Reads the messages of a stream of bytes. It keeps one incomplete message at most. */
export class MessageDecoder {
  #kept: Buffer = Buffer.alloc(0);
  #at = 0;

  /** @param segmentMru the data of a segment that this node has announced to take */
  constructor(private readonly segmentMru: number) {}

  push(chunk: Uint8Array): void {
    this.#kept = Buffer.concat([this.#kept.subarray(this.#at), chunk]);
    this.#at = 0;
  }

  /**
   * The next message, or null while it is incomplete. Its bytes are views of the chunks.
   * @throws ConvergenceError, with the reason of a MSG_REJECT; nothing can be read after it
   */
  next(): Message | null {
    const start = this.#at;
    if (start === this.#kept.length) return null;
    try {
      return this.#message();
    } catch (error) {
      if (error !== INCOMPLETE) throw error;
      this.#at = start;
      return null;
    }
  }

  /** The first byte of the message that could not be read. */
  get header(): number {
    return this.#header;
  }

  #header = 0;

  #message(): Message {
    this.#header = this.#u8();
    switch (this.#header) {
      case TYPES.init:
        return this.#init();
      case TYPES.segment:
        return this.#segment();
      case TYPES.ack: {
        const flags = this.#u8();
        const transfer = this.#u64('a transfer id');
        return { type: 'ack', ...edgesOf(flags), transfer, length: this.#u64('a length') };
      }
      case TYPES.refuse:
        return { type: 'refuse', reason: this.#u8(), transfer: this.#u64('a transfer id') };
      case TYPES.keepalive:
        return { type: 'keepalive' };
      case TYPES.term:
        return { type: 'term', isReply: isReplyOf(this.#u8()), reason: this.#u8() };
      case TYPES.reject:
        return { type: 'reject', reason: this.#u8(), header: this.#u8() };
      default:
        throw new ConvergenceError(
          'unsupported',
          `a message of type ${this.#header}`,
          REJECTIONS.unknownType,
        );
    }
  }

  #init(): Message {
    const keepaliveSec = this.#number(2);
    const [segmentMru, transferMru] = [this.#mru(), this.#mru()];
    const length = this.#number(2);
    if (length > NODE_BYTES_MAX) throw tooLarge(`a node id of ${length} bytes`);
    const node = this.#take(length).toString('utf8');
    return { type: 'init', keepaliveSec, segmentMru, transferMru, node, items: this.#items() };
  }

  #segment(): Message {
    const edges = edgesOf(this.#u8());
    const transfer = this.#u64('a transfer id');
    const items = edges.isStart ? this.#items() : [];
    const length = this.#u64('a length');
    if (length > this.segmentMru) throw tooLarge(`a segment of ${length} bytes`);
    return { type: 'segment', ...edges, transfer, items, data: this.#take(length) };
  }

  #items(): readonly ExtensionItem[] {
    const length = this.#number(4);
    if (length > ITEM_BYTES_MAX) throw tooLarge(`extension items of ${length} bytes`);
    const end = this.#at + length;
    if (end > this.#kept.length) throw INCOMPLETE;
    const items: ExtensionItem[] = [];
    while (this.#at < end) {
      if (end - this.#at < ITEM_HEAD_BYTES) throw malformed('an item that ends too early');
      const isCritical = isCriticalOf(this.#u8());
      const type = this.#number(2);
      const size = this.#number(2);
      if (size > end - this.#at) throw malformed('an item that ends after its list');
      items.push({ isCritical, type, value: this.#take(size) });
    }
    return items;
  }

  /** A peer may take more than this node counts to. */
  #mru(): number {
    const value = this.#take(8).readBigUInt64BE();
    return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value);
  }

  #u64(what: string): number {
    const value = this.#take(8).readBigUInt64BE();
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw tooLarge(`${what} above 2^53 - 1`);
    return Number(value);
  }

  #u8(): number {
    return this.#number(1);
  }

  #number(size: 1 | 2 | 4): number {
    return this.#take(size).readUIntBE(0, size);
  }

  #take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#kept.length) throw INCOMPLETE;
    const taken = this.#kept.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}

const edgesOf = (flags: number) => ({
  isStart: (flags & SEGMENT_FLAGS.start) !== 0,
  isEnd: (flags & SEGMENT_FLAGS.end) !== 0,
});

const tooLarge = (what: string): ConvergenceError =>
  new ConvergenceError('too_large', what, REJECTIONS.unsupported);

const malformed = (what: string): ConvergenceError =>
  new ConvergenceError('malformed', what, REJECTIONS.unsupported);
