import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type PeerProgram } from './peer-process.js';

/** Home of the package.json that pins Portkey and the one dependency its streams need. */
const PACKAGE_FOLDER = path.resolve('test/bench/portkey');
const SERVER = path.join(PACKAGE_FOLDER, 'node_modules/@portkey-ai/gateway/build/start-server.js');

/** Not part of Quipu's own install: fetched for the first comparison. */
export const installPortkey = async (): Promise<void> => {
  if (existsSync(SERVER)) return;
  const install = spawn('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: PACKAGE_FOLDER,
    stdio: ['ignore', process.stderr, process.stderr],
  });
  const [code] = await once(install, 'exit');
  if (code !== 0)
    throw new Error('npm ci failed in test/bench/portkey, so there is no Portkey to compare');
};

export const portkeyProgram: PeerProgram = {
  name: 'portkey',
  args: (port) => [SERVER, `--port=${port}`, '--headless'],
  environment: {},
  readyPath: '/',
};

/** Portkey takes its routing from the headers of each request. */
export const portkeyHeaders = (upstreamPort: number): Readonly<Record<string, string>> => ({
  'x-portkey-provider': 'openai',
  'x-portkey-custom-host': `http://127.0.0.1:${upstreamPort}/v1`,
});
