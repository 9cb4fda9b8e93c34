import {
  type Metadata,
  ServerInterceptingCall,
  type ServerInterceptor,
  type ServerListener,
} from '@grpc/grpc-js';
import { ACCEPTED_FOR_MS, type Credentials } from './credentials.js';
import { callErrorOf } from './call-errors.js';

/**
 * Lets a call begin only for an Admin, before a byte of its messages is read, and ends it when the
 * key is revoked meanwhile.
 * @param open the paths that need no credentials
 */
export const credentialsInterceptor =
  (credentials: Credentials, open: ReadonlySet<string>): ServerInterceptor =>
  (method, call) => {
    if (open.has(method.path)) return new ServerInterceptingCall(call);
    let checks: NodeJS.Timeout | undefined;
    let over = false;
    const end = () => {
      over = true;
      clearInterval(checks);
    };
    const check = async (metadata: Metadata): Promise<boolean> => {
      try {
        await credentials.check(headerOf(metadata));
        return !over;
      } catch (error) {
        const { code, details, metadata: trailers } = callErrorOf(error);
        if (!over) call.sendStatus({ code, details, metadata: trailers });
        end();
        return false;
      }
    };
    const begin = async (metadata: Metadata, pass: (metadata: Metadata) => void) => {
      if (!(await check(metadata))) return;
      checks = setInterval(() => void check(metadata), ACCEPTED_FOR_MS);
      checks.unref();
      pass(metadata);
    };
    const listener: ServerListener = {
      onReceiveMetadata: (metadata, pass) => void begin(metadata, pass),
      onCancel: end,
    };
    return new ServerInterceptingCall(call, {
      start: (next) => next(listener),
      sendStatus: (status, next) => {
        end();
        next(status);
      },
    });
  };

const headerOf = (metadata: Metadata): string => String(metadata.get('authorization')[0] ?? '');
