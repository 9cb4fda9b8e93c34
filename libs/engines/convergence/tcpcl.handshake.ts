import { once } from 'node:events';
import { type Duplex } from 'node:stream';
import { connect as secure, createServer, type TLSSocket } from 'node:tls';
import { isEndpointId } from '../bundles/endpoint-id.js';
import { ConvergenceError } from './convergence.errors.js';
import { MessageDecoder } from './tcpcl.decoder.js';
import {
  CONTACT_BYTES,
  type ContactHeader,
  decodeContact,
  encodeContact,
  encodeMessage,
  type SessionInit,
  speaksVersion,
  TERMINATIONS,
} from './tcpcl.messages.js';
import { type Timers } from './timers.js';

/** The certificate of this node, and the authorities whose certificates peers must have. */
export interface TlsIdentity {
  /** PEM, as all of these. */
  readonly key: string;
  readonly cert: string;
  readonly ca: string;
}

export interface SessionTerms {
  /** Of this node, such as `dtn://quipu/`. */
  readonly node: string;
  /** The active peer has opened the connection. */
  readonly role: 'active' | 'passive';
  /** Seconds; 0 for none. The smaller number of both peers counts. */
  readonly keepaliveSec: number;
  /** The bytes that this node takes. */
  readonly segmentMru: number;
  readonly transferMru: number;
  /** Null: a session in clear. */
  readonly tls: TlsIdentity | null;
  readonly timers: Timers;
}

export interface Established {
  readonly stream: Duplex;
  readonly decoder: MessageDecoder;
  readonly peer: SessionInit;
  readonly isSecure: boolean;
}

/** RFC 9174 recommends at most a minute. */
export const HANDSHAKE_MS_MAX = 15_000;

/**
 * Contact headers, TLS where both can, and the initiations of the session.
 * @throws ConvergenceError; the connection is closed then
 */
export const establish = async (raw: Duplex, terms: SessionTerms): Promise<Established> => {
  const late = new AbortController();
  const elapsed = terms.timers.wait(HANDSHAKE_MS_MAX, late.signal).then(() => {
    if (!late.signal.aborted) {
      raw.destroy(new ConvergenceError('timed_out', 'the peer did not open its session in time'));
    }
  });
  try {
    return await opened(raw, terms);
  } catch (error) {
    raw.destroy();
    throw asFault(error);
  } finally {
    late.abort();
    await elapsed;
  }
};

const opened = async (raw: Duplex, terms: SessionTerms): Promise<Established> => {
  const { role, tls, segmentMru } = terms;
  if (role === 'active') raw.write(encodeContact(tls !== null));
  const contact = decodeContact(await exactly(raw, CONTACT_BYTES));
  if (role === 'passive') raw.write(encodeContact(tls !== null));
  if (!speaksVersion(contact)) {
    await dismiss(raw, TERMINATIONS.versionMismatch);
    throw new ConvergenceError('unsupported', `version ${contact.version} of TCPCL`);
  }
  const stream = await securedBy(raw, contact, terms);
  const decoder = new MessageDecoder(segmentMru);
  if (role === 'active') stream.write(encodeMessage(ownInit(terms)));
  const peer = await initOf(stream, decoder);
  if (role === 'passive') stream.write(encodeMessage(ownInit(terms)));
  return { stream, decoder, peer, isSecure: stream !== raw };
};

/** This node never falls back to a session in clear: TLS is as its operator configured it. */
const securedBy = async (
  raw: Duplex,
  { canTls }: ContactHeader,
  { tls, role }: SessionTerms,
): Promise<Duplex> => {
  if (!tls) return raw;
  if (!canTls) {
    await dismiss(raw, TERMINATIONS.contactFailure);
    throw new ConvergenceError('insecure', 'the peer does not offer TLS');
  }
  const { key, cert, ca } = tls;
  const options = { key, cert, ca, minVersion: 'TLSv1.3', rejectUnauthorized: true } as const;
  // A certificate is of a node, and not of the address of the connection.
  const checkServerIdentity = () => undefined;
  const own = role === 'active' ? secure({ ...options, socket: raw, checkServerIdentity }) : null;
  const server = own ? null : createServer({ ...options, requestCert: true });
  server?.emit('connection', raw);
  const opening = own
    ? once(own, 'secureConnect').then(() => own)
    : once(server ?? raw, 'secureConnection').then(([stream]) => stream as TLSSocket);
  const failing = once(server ?? raw, 'tlsClientError').then(([error]) =>
    Promise.reject(error as Error),
  );
  try {
    return await Promise.race([opening, failing, closing(raw)]);
  } catch (cause) {
    own?.destroy();
    throw new ConvergenceError('insecure', 'TLS with the peer failed', 0, { cause });
  }
};

const ownInit = ({ node, keepaliveSec, segmentMru, transferMru }: SessionTerms): SessionInit => ({
  ...{ type: 'init', node, keepaliveSec, segmentMru, transferMru, items: [] },
});

const initOf = async (stream: Duplex, decoder: MessageDecoder): Promise<SessionInit> => {
  for (;;) {
    const message = decoder.next();
    if (message?.type === 'init') return await accepted(stream, message);
    if (message) {
      const reason = message.type === 'term' ? ` (reason ${message.reason})` : '';
      throw new ConvergenceError('closed', `${message.type} in place of a session${reason}`);
    }
    decoder.push(await some(stream));
  }
};

const accepted = async (stream: Duplex, init: SessionInit): Promise<SessionInit> => {
  const critical = init.items.find(({ isCritical }) => isCritical);
  // A peer may keep its name to itself.
  const isValid = init.segmentMru > 0 && (init.node === '' || isEndpointId(init.node));
  if (!critical && isValid) return init;
  await dismiss(stream, TERMINATIONS.contactFailure);
  const what = critical ? `session extension ${critical.type}` : `the node ${init.node}`;
  throw new ConvergenceError('unsupported', what);
};

/** A message that ends the session before it has begun. */
const dismiss = async (stream: Duplex, reason: number): Promise<void> => {
  const term = encodeMessage({ type: 'term', isReply: false, reason });
  await new Promise<void>((resolve) => stream.end(term, resolve));
};

/** In paused mode: bytes that follow stay for TLS. */
const exactly = async (stream: Duplex, bytes: number): Promise<Buffer> => {
  for (;;) {
    const read = stream.read(bytes) as Buffer | null;
    if (read?.length === bytes) return read;
    if (read || stream.readableEnded || stream.destroyed) throw closedEarly();
    await readable(stream);
  }
};

const some = async (stream: Duplex): Promise<Buffer> => {
  for (;;) {
    const read = stream.read() as Buffer | null;
    if (read) return read;
    if (stream.readableEnded || stream.destroyed) throw closedEarly();
    await readable(stream);
  }
};

const readable = async (stream: Duplex): Promise<void> => {
  const stop = new AbortController();
  const { signal } = stop;
  try {
    const closed = once(stream, 'close', { signal }).then(() => {
      throw closedEarly();
    });
    await Promise.race([
      once(stream, 'readable', { signal }),
      once(stream, 'end', { signal }),
      closed,
    ]);
  } finally {
    stop.abort();
  }
};

const closing = async (stream: Duplex): Promise<never> => {
  await once(stream, 'close');
  throw closedEarly();
};

const closedEarly = (): ConvergenceError =>
  new ConvergenceError('closed', 'the peer closed the connection before the session');

export const asFault = (error: unknown): ConvergenceError =>
  error instanceof ConvergenceError
    ? error
    : new ConvergenceError('closed', error instanceof Error ? error.message : String(error), 0, {
        cause: error,
      });
