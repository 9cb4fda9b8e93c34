import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { UPSTREAM_MODEL } from './load/workload.js';
import { type PeerProgram } from './peer-process.js';

/** Bifrost takes the provider from the name of the model. */
export const BIFROST_MODEL = `openai/${UPSTREAM_MODEL}`;

const configFor = (upstreamPort: number): object => ({
  client: { enable_logging: false },
  config_store: { enabled: false },
  providers: {
    openai: {
      keys: [{ name: 'bench', value: 'sk-bench', models: ['*'], weight: 1 }],
      network_config: { base_url: `http://127.0.0.1:${upstreamPort}` },
    },
  },
});

/** Bifrost from its configuration file, without its store and its log of requests: no books. */
export const bifrostProgram = async (
  executable: string,
  directory: string,
  upstreamPort: number,
): Promise<PeerProgram> => {
  const home = path.join(directory, 'bifrost');
  await mkdir(home, { recursive: true });
  await writeFile(path.join(home, 'config.json'), JSON.stringify(configFor(upstreamPort)));
  return {
    name: 'bifrost',
    executable,
    args: (port) => ['-app-dir', home, '-host', '127.0.0.1', '-port', String(port)],
    environment: {},
    readyPath: '/health',
  };
};
