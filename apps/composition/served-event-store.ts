import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type INestApplicationContext } from '@nestjs/common';
import { Authenticator } from '#areas/identity/authentication/authenticator.js';
import { AppTokens } from '#areas/identity/sessions/app-tokens.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type EventStoreServer } from '#platform/event-store/grpc/event-store.server.js';
import { type Clock } from '#platform/kernel/clock.js';
import { EventCodec } from '#platform/runtime/commands/event-codec.js';
import { publishers } from './areas.js';
import { SettingsError } from '#platform/runtime/areas/settings.js';
import { type GrpcSettings, type Settings } from './settings.js';

/**
 * The embedded event store of a gateway, served where the settings say so.
 * @throws SettingsError
 */
export const serveEventStoreOf = async (
  { grpc }: Settings,
  eventStore: EventStore,
  app: INestApplicationContext,
): Promise<EventStoreServer | undefined> =>
  grpc && serve(grpc, eventStore, () => app.get(Authenticator, { strict: false }));

/**
 * The embedded event store alone. API keys are authenticated from the served log; app tokens give
 * no access to it.
 * @throws SettingsError
 */
export const serveEventStoreAlone = (
  grpc: GrpcSettings,
  eventStore: EventStore,
  clock: Clock,
): Promise<EventStoreServer> =>
  serve(grpc, eventStore, () => {
    const codec = new EventCodec(publishers.flatMap(({ events }) => events));
    // No token has a signature of this key.
    const appTokens = new AppTokens({ key: () => randomBytes(32) }, clock);
    return new Authenticator(eventStore, codec, appTokens, clock);
  });

/**
 * By the protocol of EventStoreDB. With TLS a caller is an Admin whose API key is the password, and
 * the key has the scope `operate` and no list; the user name is not checked.
 */
const serve = async (
  { host, port, tls }: GrpcSettings,
  eventStore: EventStore,
  authenticator: () => Authenticator,
): Promise<EventStoreServer> => {
  const { serveEventStore } = await import('#platform/event-store/grpc/event-store.server.js');
  if (!tls) {
    const transport = { kind: 'insecure' } as const;
    return listening(serveEventStore({ eventStore, host, port, transport }));
  }
  const credentials = authenticator();
  const authenticate = async (_: string, apiKey: string): Promise<boolean> => {
    const caller = await credentials.authenticate(apiKey);
    if (caller?.role !== 'Admin') return false;
    const { kind, policy, lists } = caller.credential;
    // The protocol has no routes, and names no address that a proxy vouches for.
    return kind === 'api_key' && policy.scopes.includes('operate') && !lists;
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
