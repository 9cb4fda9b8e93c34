import { ConvergenceError } from './convergence.errors.js';

/** The messages of TCPCLv4 (RFC 9174), and their bytes. */

export const CONTACT_BYTES = 6;
const MAGIC = Buffer.from('dtn!');
const VERSION = 4;
const CAN_TLS = 0x1;

export const TYPES = {
  segment: 1,
  ack: 2,
  refuse: 3,
  keepalive: 4,
  term: 5,
  reject: 6,
  init: 7,
} as const;

export const SEGMENT_FLAGS = { end: 0x1, start: 0x2 } as const;
const TERM_REPLY = 0x1;

/** Of XFER_REFUSE: RFC 9174, section 5.2.4. */
export const REFUSE_REASONS = {
  unknown: 0,
  completed: 1,
  noResources: 2,
  retransmit: 3,
  notAcceptable: 4,
  extensionFailure: 5,
  terminating: 6,
} as const;

/** Of SESS_TERM: section 6.1. */
export const TERMINATIONS = {
  unknown: 0,
  idle: 1,
  versionMismatch: 2,
  busy: 3,
  contactFailure: 4,
  exhausted: 5,
} as const;

/** Of MSG_REJECT: section 5.1.2. */
export const REJECTIONS = { unknownType: 1, unsupported: 2, unexpected: 3 } as const;

const ITEM_CRITICAL = 0x1;
export const TRANSFER_LENGTH = 1;

export interface ExtensionItem {
  readonly isCritical: boolean;
  readonly type: number;
  readonly value: Uint8Array;
}

export interface ContactHeader {
  readonly version: number;
  readonly canTls: boolean;
}

export interface SessionInit {
  readonly type: 'init';
  /** 0: no keepalives. */
  readonly keepaliveSec: number;
  readonly segmentMru: number;
  readonly transferMru: number;
  readonly node: string;
  readonly items: readonly ExtensionItem[];
}

export interface Segment {
  readonly type: 'segment';
  readonly isStart: boolean;
  readonly isEnd: boolean;
  readonly transfer: number;
  /** Of the first segment alone. */
  readonly items: readonly ExtensionItem[];
  readonly data: Uint8Array;
}

export interface Ack {
  readonly type: 'ack';
  readonly isStart: boolean;
  readonly isEnd: boolean;
  readonly transfer: number;
  /** Of the transfer so far. */
  readonly length: number;
}

export type Message =
  | SessionInit
  | Segment
  | Ack
  | { readonly type: 'refuse'; readonly reason: number; readonly transfer: number }
  | { readonly type: 'keepalive' }
  | { readonly type: 'term'; readonly isReply: boolean; readonly reason: number }
  | { readonly type: 'reject'; readonly reason: number; readonly header: number };

export const encodeContact = (canTls: boolean): Buffer =>
  Buffer.concat([MAGIC, Buffer.of(VERSION, canTls ? CAN_TLS : 0)]);

/** @throws ConvergenceError `malformed` for other bytes than a contact header */
export const decodeContact = (bytes: Buffer): ContactHeader => {
  if (bytes.length !== CONTACT_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new ConvergenceError('malformed', 'the peer does not begin with dtn!');
  }
  const [version = 0, flags = 0] = bytes.subarray(MAGIC.length);
  return { version, canTls: (flags & CAN_TLS) !== 0 };
};

export const speaksVersion = ({ version }: ContactHeader): boolean => version === VERSION;

const u16 = (value: number): Buffer => {
  const bytes = Buffer.allocUnsafe(2);
  bytes.writeUInt16BE(value);
  return bytes;
};

const u32 = (value: number): Buffer => {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

const u64 = (value: number): Buffer => {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
};

const encodeItems = (items: readonly ExtensionItem[]): Buffer => {
  const encoded = items.flatMap(({ isCritical, type, value }) => [
    Buffer.of(isCritical ? ITEM_CRITICAL : 0),
    u16(type),
    u16(value.length),
    value,
  ]);
  const content = Buffer.concat(encoded);
  return Buffer.concat([u32(content.length), content]);
};

/** The item that a transfer of several segments announces its length with. */
export const lengthItem = (length: number): ExtensionItem => ({
  isCritical: true,
  type: TRANSFER_LENGTH,
  value: u64(length),
});

const segmentFlags = ({ isStart, isEnd }: Pick<Segment, 'isStart' | 'isEnd'>): number =>
  (isStart ? SEGMENT_FLAGS.start : 0) | (isEnd ? SEGMENT_FLAGS.end : 0);

export const encodeMessage = (message: Message): Buffer => {
  switch (message.type) {
    case 'init': {
      const { keepaliveSec, segmentMru, transferMru, items } = message;
      const node = Buffer.from(message.node);
      const numbers = [u16(keepaliveSec), u64(segmentMru), u64(transferMru), u16(node.length)];
      return Buffer.concat([Buffer.of(TYPES.init), ...numbers, node, encodeItems(items)]);
    }
    case 'segment': {
      const { transfer, items, data, isStart } = message;
      const head = [Buffer.of(TYPES.segment, segmentFlags(message)), u64(transfer)];
      const listed = isStart ? [encodeItems(items)] : [];
      return Buffer.concat([...head, ...listed, u64(data.length), data]);
    }
    case 'ack': {
      const { transfer, length } = message;
      return Buffer.concat([
        Buffer.of(TYPES.ack, segmentFlags(message)),
        u64(transfer),
        u64(length),
      ]);
    }
    case 'refuse':
      return Buffer.concat([Buffer.of(TYPES.refuse, message.reason), u64(message.transfer)]);
    case 'keepalive':
      return Buffer.of(TYPES.keepalive);
    case 'term':
      return Buffer.of(TYPES.term, message.isReply ? TERM_REPLY : 0, message.reason);
    case 'reject':
      return Buffer.of(TYPES.reject, message.reason, message.header);
  }
};

export const isReplyOf = (flags: number): boolean => (flags & TERM_REPLY) !== 0;
export const isCriticalOf = (flags: number): boolean => (flags & ITEM_CRITICAL) !== 0;
