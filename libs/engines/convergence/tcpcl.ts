import { connect, createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { type ConvergenceError } from './convergence.errors.js';
import { asFault } from './tcpcl.handshake.js';
import { type SessionOptions, TcpclSession } from './tcpcl.session.js';

/** The port of TCPCL. */
export const TCPCL_PORT = 4_556;

export interface TcpAddress {
  readonly host: string;
  readonly port: number;
}

const CONNECT_MS_MAX = 10_000;

/** Opens a connection and a session. @throws ConvergenceError */
export const connectTcpcl = async (
  { host, port }: TcpAddress,
  options: Omit<SessionOptions, 'role'>,
): Promise<TcpclSession> => {
  const socket = connect({ host, port, noDelay: true });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_MS_MAX) });
  } catch (error) {
    socket.destroy();
    throw asFault(error);
  }
  return TcpclSession.open(socket, { ...options, role: 'active' });
};

export interface ServeOptions extends Omit<SessionOptions, 'role'> {
  /** A peer has opened a session. */
  readonly onSession: (session: TcpclSession) => void;
  /** A connection became no session. */
  readonly onFault: (fault: ConvergenceError) => void;
  readonly connectionsMax: number;
}

export interface TcpclServer {
  readonly port: number;
  /** Ends all sessions. */
  close(): Promise<void>;
}

/** Takes sessions at an address. */
export const serveTcpcl = async (
  { host, port }: TcpAddress,
  { onSession, onFault, connectionsMax, ...options }: ServeOptions,
): Promise<TcpclServer> => {
  const sessions = new Set<TcpclSession>();
  const sockets = new Set<Socket>();
  const serve = async (socket: Socket): Promise<void> => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    try {
      const session = await TcpclSession.open(socket, { ...options, role: 'passive' });
      sessions.add(session);
      void session.ended.then(() => sessions.delete(session));
      onSession(session);
    } catch (error) {
      onFault(asFault(error));
    }
  };
  const server = createServer({ noDelay: true }, (socket) => void serve(socket));
  server.maxConnections = connectionsMax;
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: portOf(server),
    close: async () => {
      server.close();
      await Promise.all([...sessions].map((session) => session.end()));
      for (const socket of sockets) socket.destroy();
    },
  };
};

const portOf = (server: Server): number => {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
};
