import {
  type handleBidiStreamingCall,
  type handleUnaryCall,
  type MethodDefinition,
  type Server,
  type ServiceDefinition,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { appendCall } from './append.call.js';
import { batchAppendCall } from './batch-append.call.js';
import { gossipCall, type ServedMethod, supportedMethodsCall } from './node.calls.js';
import { readCall } from './read.call.js';
import { CallError } from './call-errors.js';
import { type ServedLog } from './served-log.js';

const STREAMS = 'event_store.client.streams.Streams';
const FEATURES = 'event_store.client.server_features.ServerFeatures';
const GOSSIP = 'event_store.client.gossip.Gossip';

const SERVED: readonly ServedMethod[] = [
  { service: STREAMS, method: 'Read' },
  { service: STREAMS, method: 'Append' },
  { service: STREAMS, method: 'BatchAppend' },
  { service: FEATURES, method: 'GetSupportedMethods' },
  { service: GOSSIP, method: 'Read' },
];

/** Clients call these before they authenticate: the server's address and features. */
export const OPEN_PATHS: ReadonlySet<string> = new Set([
  `/${FEATURES}/GetSupportedMethods`,
  `/${GOSSIP}/Read`,
]);

type Shape = 'unary' | 'client-stream' | 'server-stream' | 'duplex';

export const addServices = (server: Server, log: ServedLog): void => {
  server.addService(
    definition(STREAMS, {
      Read: 'server-stream',
      Append: 'client-stream',
      BatchAppend: 'duplex',
      Delete: 'unary',
      Tombstone: 'unary',
    }),
    {
      Read: readCall(log),
      Append: appendCall(log),
      BatchAppend: batchAppendCall(log),
      Delete: neverDeleted,
      Tombstone: neverDeleted,
    },
  );
  server.addService(definition(FEATURES, { GetSupportedMethods: 'unary' }), {
    GetSupportedMethods: supportedMethodsCall(SERVED),
  });
  server.addService(definition(GOSSIP, { Read: 'unary' }), { Read: gossipCall() });
  for (const absent of ABSENT) addAbsent(server, absent);
};

const neverDeleted: handleUnaryCall<Buffer, Buffer> = (_call, callback) =>
  callback(new CallError(status.FAILED_PRECONDITION, 'nothing is ever deleted from this log'));

interface AbsentService {
  readonly service: string;
  readonly methods: string;
  readonly reason: string;
}

/** Other services of EventStoreDB: rejected by name, with an alternative. */
const ABSENT: readonly AbsentService[] = [
  {
    service: 'event_store.client.persistent_subscriptions.PersistentSubscriptions',
    methods: 'Create Update Delete Read GetInfo ReplayParked List RestartSubsystem',
    reason: 'there are no persistent subscriptions here: subscribe to $all and keep the position',
  },
  {
    service: 'event_store.client.projections.Projections',
    methods: 'Create Update Delete Statistics Disable Enable Reset State Result RestartSubsystem',
    reason: 'there are no projections in this server: subscribe to $all with a filter',
  },
  {
    service: 'event_store.client.operations.Operations',
    methods:
      'StartScavenge StopScavenge Shutdown MergeIndexes ResignNode SetNodePriority ' +
      'RestartPersistentSubscriptions',
    reason: 'this server is operated from its own command line',
  },
  {
    service: 'event_store.client.users.Users',
    methods: 'Create Update Delete Disable Enable Details ChangePassword ResetPassword',
    reason: 'users are managed by Quipu: the password is the API key of an Admin',
  },
];

const addAbsent = (server: Server, { service, methods, reason }: AbsentService): void => {
  const names = methods.split(' ');
  // As a duplex call any shape can be rejected at once, whatever its client would send.
  const reject: handleBidiStreamingCall<Buffer, Buffer> = (call) => {
    call.emit('error', new CallError(status.UNIMPLEMENTED, reason));
  };
  const shapes = names.map((name): [string, Shape] => [name, 'duplex']);
  const handlers = names.map((name): [string, typeof reject] => [name, reject]);
  const implementation: UntypedServiceImplementation = Object.fromEntries(handlers);
  server.addService(definition(service, Object.fromEntries(shapes)), implementation);
};

/** Messages pass as bytes, so the calls themselves answer unreadable ones. */
const definition = (
  service: string,
  methods: Readonly<Record<string, Shape>>,
): ServiceDefinition => {
  const entries = Object.entries(methods).map(
    ([name, shape]): [string, MethodDefinition<Buffer, Buffer>] => [
      name,
      {
        path: `/${service}/${name}`,
        requestStream: shape === 'client-stream' || shape === 'duplex',
        responseStream: shape === 'server-stream' || shape === 'duplex',
        requestSerialize: asItIs,
        requestDeserialize: asItIs,
        responseSerialize: asItIs,
        responseDeserialize: asItIs,
      },
    ],
  );
  return Object.fromEntries(entries);
};

const asItIs = (bytes: Buffer): Buffer => bytes;
