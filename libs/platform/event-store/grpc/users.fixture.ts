import {
  Metadata,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  status,
} from '@grpc/grpc-js';
import users from '@eventstore/db-client/generated/users_pb.js';
import { type FaultyEventStore } from './faulty-event-store.fake.js';
import { MessageReader } from './protobuf.reader.js';
import { decodeReadRequest } from './read.messages.js';

const READ = '/event_store.client.streams.Streams/Read';
const CREATE = '/event_store.client.users.Users/Create';
const RESET = '/event_store.client.users.Users/ResetPassword';
const ADMIN = 'admin';

interface Failure {
  readonly code: status;
  readonly details: string;
  readonly trailers: Readonly<Record<string, string>>;
}

const DENIED: Failure = {
  code: status.PERMISSION_DENIED,
  details: 'Access Denied',
  trailers: { exception: 'access-denied' },
};

/** The users of a server with an administrator, and who of them may read the whole log. */
export class ServerUsers {
  readonly passwords: Map<string, string>;

  /** @param log keeps the metadata of the log, which name its readers */
  constructor(
    readonly log: () => FaultyEventStore,
    adminPassword: string,
  ) {
    this.passwords = new Map([[ADMIN, adminPassword]]);
  }

  readonly authenticate = (name: string, password: string): Promise<boolean> =>
    Promise.resolve(this.passwords.get(name) === password);

  readonly interceptor: ServerInterceptor = (method, call) => {
    let user = '';
    const isOfUsers = method.path === CREATE || method.path === RESET;
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, pass) => {
            user = userOf(metadata);
            if (isOfUsers) call.startRead();
            else pass(metadata);
          },
          onReceiveMessage: (message: Buffer, pass) => {
            if (isOfUsers) answer(call, this.#change(method.path, user, message));
            else if (method.path === READ && !this.#mayRead(user, message)) answer(call, DENIED);
            else pass(message);
          },
        }),
    });
  };

  #change(path: string, user: string, message: Buffer): Failure | null {
    if (user !== ADMIN) return DENIED;
    if (path === CREATE) {
      const { loginName = '', password = '' } = optionsOf(users.CreateReq, message);
      if (this.passwords.has(loginName)) {
        const trailers = { exception: 'user-conflict', 'login-name': loginName };
        return { code: status.FAILED_PRECONDITION, details: 'Conflict.', trailers };
      }
      this.passwords.set(loginName, password);
    } else {
      const { loginName = '', newPassword = '' } = optionsOf(users.ResetPasswordReq, message);
      this.passwords.set(loginName, newPassword);
    }
    return null;
  }

  #mayRead(user: string, message: Buffer): boolean {
    const { target } = decodeReadRequest(new MessageReader(message));
    if (user === ADMIN || target.kind === 'stream') return true;
    const { $acl } = (this.log().settings.get('$$$all')?.data ?? {}) as {
      readonly $acl?: { readonly $r?: readonly string[] };
    };
    return $acl?.$r?.includes(user) ?? false;
  }
}

interface Options {
  readonly loginName?: string;
  readonly password?: string;
  readonly newPassword?: string;
}

const optionsOf = (
  kind: { deserializeBinary(bytes: Uint8Array): { toObject(): { options?: Options } } },
  message: Buffer,
): Options => kind.deserializeBinary(message).toObject().options ?? {};

const userOf = (metadata: Metadata): string => {
  const [, encoded = ''] = String(metadata.get('authorization')[0] ?? '').split(' ');
  return Buffer.from(encoded, 'base64').toString('utf8').split(':')[0] ?? '';
};

const answer = (call: ServerInterceptingCallInterface, failure: Failure | null): void => {
  if (failure === null) {
    call.sendMetadata(new Metadata());
    call.sendMessage(Buffer.alloc(0), () => call.sendStatus({ code: status.OK, details: 'OK' }));
    return;
  }
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(failure.trailers)) metadata.set(key, value);
  call.sendStatus({ code: failure.code, details: failure.details, metadata });
};
