import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** Stands between clients and a server on loopback: the place where a network breaks. */
export interface TcpRelay {
  readonly port: number;
  /** Where new connections go. */
  target: number;
  /** Resets every connection; new ones are accepted. */
  drop(): void;
  /** Resets every connection and takes no more, as a machine that is down. */
  down(): Promise<void>;
  /** Takes connections again, on the same port. */
  up(): Promise<void>;
}

export const openTcpRelay = async (target: number): Promise<TcpRelay> => {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  };
  const join = (inner: Socket, outer: Socket) => {
    inner.pipe(outer);
    outer.pipe(inner);
    inner.on('close', () => outer.destroy());
    outer.on('close', () => inner.destroy());
  };
  const open = (): Server =>
    createServer((socket) => {
      const upstream = connect(relay.target, '127.0.0.1');
      keep(socket);
      keep(upstream);
      join(socket, upstream);
    });
  let server = open();
  const relay = {
    port: 0,
    target,
    drop: () => {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    down: async () => {
      const closed = once(server, 'close');
      server.close();
      relay.drop();
      await closed;
    },
    up: async () => {
      server = open();
      await once(server.listen(relay.port, '127.0.0.1'), 'listening');
    },
  };
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (typeof address === 'object' && address !== null) relay.port = address.port;
  return relay;
};
