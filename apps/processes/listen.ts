import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { SettingsError } from '#platform/runtime/settings.js';
import { type Settings } from '../composition/settings.js';

/** Binds the HTTP server. @throws SettingsError that names HOST and PORT */
export const listen = async (
  app: NestFastifyApplication,
  { host, port }: Pick<Settings, 'host' | 'port'>,
): Promise<void> => {
  try {
    await app.listen(port, host);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SettingsError(`bad settings\n  HOST, PORT: ${reason}`, { cause });
  }
};
