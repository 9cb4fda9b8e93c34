import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';

const BINDING_REQUEST = 0x0001;
const BINDING_SUCCESS = 0x0101;
const BINDING_ERROR = 0x0111;
const MAGIC_COOKIE = 0x2112a442;
const HEADER_BYTES = 20;
const XOR_MAPPED_ADDRESS = 0x0020;
const ERROR_CODE = 0x0009;
const UNKNOWN_ATTRIBUTES = 0x000a;
/** Attributes below it must be understood. */
const OPTIONAL_FROM = 0x8000;
/** Of a datagram: longer ones are no binding request. */
const REQUEST_BYTES_MAX = 548;
/** Answers in a second, so that a forged sender is not flooded. */
export const ANSWERS_PER_SECOND_MAX = 200;
const MS_PER_SECOND = 1_000;

/**
 * The binding method of STUN (RFC 8489) over UDP, without credentials: tells a client its address
 * and port as they are seen here. Anything else is not answered.
 */
export class StunResponder {
  #socket: Socket | null = null;
  #windowStartMs = 0;
  #answers = 0;

  /** @param port 0: any */
  constructor(
    private readonly address: string | null,
    private readonly port: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @returns the port @throws Error for a port that is taken */
  async start(): Promise<number> {
    const socket = createSocket('udp4');
    this.#socket = socket;
    socket.on('message', (message, from) => this.#answer(message, from));
    socket.bind(this.port, this.address ?? undefined);
    await once(socket, 'listening');
    socket.unref();
    // An error of a later answer, such as an unreachable sender, is of no consequence.
    socket.on('error', () => undefined);
    return socket.address().port;
  }

  async stop(): Promise<void> {
    const socket = this.#socket;
    this.#socket = null;
    if (!socket) return;
    const closed = once(socket, 'close');
    socket.close();
    await closed;
  }

  #answer(message: Buffer, { address, port }: RemoteInfo): void {
    const answer = bindingAnswer(message, { address, port });
    if (answer && this.#mayAnswer()) this.#socket?.send(answer, port, address);
  }

  #mayAnswer(): boolean {
    const nowMs = this.now();
    if (nowMs - this.#windowStartMs >= MS_PER_SECOND) {
      this.#windowStartMs = nowMs;
      this.#answers = 0;
    }
    this.#answers += 1;
    return this.#answers <= ANSWERS_PER_SECOND_MAX;
  }
}

/** Null for a datagram that is not a binding request. */
export const bindingAnswer = (
  message: Buffer,
  from: { readonly address: string; readonly port: number },
): Buffer | null => {
  if (message.length < HEADER_BYTES || message.length > REQUEST_BYTES_MAX) return null;
  if (message.readUInt16BE(0) !== BINDING_REQUEST) return null;
  if (message.readUInt16BE(2) !== message.length - HEADER_BYTES) return null;
  if (message.readUInt32BE(4) !== MAGIC_COOKIE) return null;
  const attributes = attributesOf(message.subarray(HEADER_BYTES));
  if (!attributes) return null;
  const transaction = message.subarray(8, HEADER_BYTES);
  const unknown = attributes.filter((type) => type < OPTIONAL_FROM && !ACCEPTED.has(type));
  if (unknown.length > 0) return unknownAnswer(unknown, transaction);
  return packet(BINDING_SUCCESS, transaction, [[XOR_MAPPED_ADDRESS, xorMapped(from)]]);
};

/** USERNAME and MESSAGE-INTEGRITY are ignored: the responder has no credentials. */
const ACCEPTED = new Set([0x0006, 0x0008]);

/** The types of the attributes; null where their lengths do not add up. */
const attributesOf = (bytes: Buffer): readonly number[] | null => {
  const types: number[] = [];
  let at = 0;
  while (at + 4 <= bytes.length) {
    types.push(bytes.readUInt16BE(at));
    at += 4 + padded(bytes.readUInt16BE(at + 2));
  }
  return at === bytes.length ? types : null;
};

const padded = (length: number): number => (length + 3) & ~3;

const xorMapped = ({
  address,
  port,
}: {
  readonly address: string;
  readonly port: number;
}): Buffer => {
  const value = Buffer.alloc(8);
  value.writeUInt8(1, 1);
  value.writeUInt16BE(port ^ (MAGIC_COOKIE >>> 16), 2);
  const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  value.writeUInt32BE((number ^ MAGIC_COOKIE) >>> 0, 4);
  return value;
};

const unknownAnswer = (types: readonly number[], transaction: Buffer): Buffer => {
  const reason = Buffer.from('Unknown Attribute');
  const code = Buffer.concat([Buffer.from([0, 0, 4, 20]), reason]);
  const list = Buffer.alloc(types.length * 2);
  for (const [index, type] of types.entries()) list.writeUInt16BE(type, index * 2);
  return packet(BINDING_ERROR, transaction, [
    [ERROR_CODE, code],
    [UNKNOWN_ATTRIBUTES, list],
  ]);
};

const packet = (
  type: number,
  transaction: Buffer,
  attributes: readonly (readonly [number, Buffer])[],
): Buffer => {
  const body = Buffer.concat(
    attributes.map(([name, value]) => {
      const attribute = Buffer.alloc(4 + padded(value.length));
      attribute.writeUInt16BE(name, 0);
      attribute.writeUInt16BE(value.length, 2);
      value.copy(attribute, 4);
      return attribute;
    }),
  );
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE(type, 0);
  header.writeUInt16BE(body.length, 2);
  header.writeUInt32BE(MAGIC_COOKIE, 4);
  transaction.copy(header, 8);
  return Buffer.concat([header, body]);
};
