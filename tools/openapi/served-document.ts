import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type OpenAPIObject } from '@nestjs/swagger';
import { pino } from 'pino';
import { readSettings } from '#apps/composition/settings.js';
import { startStandalone } from '#apps/processes/standalone.process.js';

/** The OpenAPI document, as a gateway of this build serves it. */
export const servedDocument = async (): Promise<OpenAPIObject> => {
  const home = await mkdtemp(path.join(tmpdir(), 'quipu-openapi-'));
  try {
    const environment = { QUIPU_HOME: home, PORT: '0', HOST: '127.0.0.1' };
    const quipu = await startStandalone(readSettings(environment), pino({ level: 'silent' }));
    try {
      const response = await fetch(`${quipu.url}/openapi.json`);
      return (await response.json()) as OpenAPIObject;
    } finally {
      await quipu.stop();
    }
  } finally {
    await rm(home, { recursive: true, force: true });
  }
};
