import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Stands between clients and a server on loopback: the place where a network breaks. */
export interface TcpRelay {
  readonly port: number;
  /** Where new connections go. */
  target: number;
  /** Resets every connection; new ones are accepted. */
  drop(): void;
  /** Resets every connection, new ones too, until `up`. */
  down(): void;
  up(): void;
  close(): Promise<void>;
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
  // A relay that is down keeps its port: the system would soon give a free one to another test, and
  // the client would read that test's log.
  let isDown = false;
  const server = createServer((socket) => {
    if (isDown) {
      socket.resetAndDestroy();
      return;
    }
    const upstream = connect(relay.target, '127.0.0.1');
    keep(socket);
    keep(upstream);
    join(socket, upstream);
  });
  const relay = {
    port: 0,
    target,
    drop: () => {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    down: () => {
      isDown = true;
      relay.drop();
    },
    up: () => {
      isDown = false;
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      relay.drop();
      await closed;
    },
  };
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (typeof address === 'object' && address !== null) relay.port = address.port;
  return relay;
};
