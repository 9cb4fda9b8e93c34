import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { SettingsError } from '#platform/runtime/areas/settings.js';
import { type Settings } from '../composition/settings.js';
import { OperationsServer } from '../operations/operations.server.js';

/**
 * Binds the HTTP server, and the operations port if the settings have one.
 * @throws SettingsError that names the variables of the port
 */
export const listen = async (
  app: NestFastifyApplication,
  { host, port }: Pick<Settings, 'host' | 'port'>,
): Promise<void> => {
  await bound('HOST, PORT', app.listen(port, host));
  await listenForOperations(app);
};

/**
 * Binds the operations port alone, if the settings have one.
 * @throws SettingsError that names the variables of the port
 */
export const listenForOperations = async (app: NestFastifyApplication): Promise<void> => {
  const operations = app.get(OperationsServer, { strict: false });
  await bound('QUIPU_OPERATIONS_HOST, QUIPU_OPERATIONS_PORT', operations.listen());
};

const bound = async (variables: string, binding: Promise<unknown>): Promise<void> => {
  try {
    await binding;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SettingsError(`bad settings\n  ${variables}: ${reason}`, { cause });
  }
};
