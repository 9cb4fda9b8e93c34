import { randomUUID } from 'node:crypto';
import { type handleUnaryCall } from '@grpc/grpc-js';
import { MessageWriter } from './protobuf.writer.js';
import { writeUuid } from './shared.messages.js';

/** The server version that clients see: the last one whose whole streams protocol is served. */
const SERVER_VERSION = '23.10.0.0';

const LEADER = 8;

export interface ServedMethod {
  readonly service: string;
  readonly method: string;
}

/** ServerFeatures.GetSupportedMethods: by this list the clients choose their ways. */
export const supportedMethodsCall =
  (methods: readonly ServedMethod[]): handleUnaryCall<Buffer, Buffer> =>
  (_call, callback) => {
    const writer = new MessageWriter();
    for (const { service, method } of methods) {
      writer.message(1, () => {
        writer.text(1, method.toLowerCase());
        writer.text(2, service);
      });
    }
    writer.text(2, SERVER_VERSION);
    callback(null, writer.finish());
  };

/** Gossip.Read: a cluster of one, at the address by which the client has reached it. */
export const gossipCall = (): handleUnaryCall<Buffer, Buffer> => {
  const instanceId = randomUUID();
  return (call, callback) => {
    const writer = new MessageWriter();
    const { host, port } = endpointOf(call.getHost());
    writer.message(1, () => {
      writeUuid(writer, 1, instanceId, 'string');
      writer.uint(2, Date.now());
      writer.uint(3, LEADER);
      writer.bool(4, true);
      writer.message(5, () => {
        writer.text(1, host);
        writer.uint(2, port);
      });
    });
    callback(null, writer.finish());
  };
};

const DEFAULT_PORT = 2113;

/** An IPv6 address keeps its brackets: the clients put host and port together again. */
const endpointOf = (authority: string): { host: string; port: number } => {
  const colon = authority.lastIndexOf(':');
  const port = Number(authority.slice(colon + 1));
  return colon > 0 && Number.isInteger(port)
    ? { host: authority.slice(0, colon), port }
    : { host: authority, port: DEFAULT_PORT };
};
