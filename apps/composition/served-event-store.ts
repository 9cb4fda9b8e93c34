import { readFile } from 'node:fs/promises';
import { type Authenticator } from '#areas/identity/authentication/authenticator.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type EventStoreServer } from '#platform/event-store/grpc/event-store.server.js';
import { type GrpcSettings, SettingsError } from './settings.js';

/**
 * Serves the embedded event store by the protocol of EventStoreDB. With TLS, callers authenticate
 * with the API key of an Admin as the password; the user name is ignored.
 * @throws SettingsError
 */
export const serveOwnEventStore = async (
  { host, port, tls }: GrpcSettings,
  eventStore: EventStore,
  authenticator: () => Authenticator,
): Promise<EventStoreServer> => {
  const { serveEventStore } = await import('#platform/event-store/grpc/event-store.server.js');
  if (!tls)
    return listening(serveEventStore({ eventStore, host, port, transport: { kind: 'insecure' } }));
  const credentials = authenticator();
  const authenticate = async (_: string, apiKey: string): Promise<boolean> => {
    const caller = await credentials.authenticate(apiKey);
    return caller?.role === 'Admin' && caller.credential.kind === 'api_key';
  };
  const certificate = await pem('QUIPU_GRPC_TLS_CERT', tls.certificateFile);
  const key = await pem('QUIPU_GRPC_TLS_KEY', tls.keyFile);
  const transport = { kind: 'tls', certificate, key, authenticate } as const;
  return listening(serveEventStore({ eventStore, host, port, transport }));
};

const pem = (variable: string, file: string): Promise<Buffer> =>
  readFile(file).catch((cause: unknown) => {
    throw settingsError(variable, cause);
  });

const listening = (serving: Promise<EventStoreServer>): Promise<EventStoreServer> =>
  serving.catch((cause: unknown) => {
    throw settingsError('QUIPU_GRPC_HOST, QUIPU_GRPC_PORT', cause);
  });

const settingsError = (variable: string, cause: unknown): SettingsError => {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new SettingsError(`bad settings\n  ${variable}: ${reason}`, { cause });
};
