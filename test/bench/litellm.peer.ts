import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { UPSTREAM_MODEL } from './load/workload.js';
import { type PeerProgram } from './peer-process.js';

/** LiteLLM starts with a strong master key only; callers of the bench use it. */
export const LITELLM_KEY = `sk-${randomBytes(32).toString('hex')}`;

const configFor = (upstreamPort: number): string => `model_list:
  - model_name: ${UPSTREAM_MODEL}
    litellm_params:
      model: openai/${UPSTREAM_MODEL}
      api_base: http://127.0.0.1:${upstreamPort}/v1
      api_key: sk-bench
`;

/**
 * LiteLLM's proxy as its documentation starts it, with one worker and no database, so it keeps no
 * books. With a database it would queue its spend and write it after the answers.
 */
export const litellmProgram = async (
  executable: string,
  directory: string,
  upstreamPort: number,
): Promise<PeerProgram> => {
  const config = path.join(directory, 'litellm.yaml');
  await writeFile(config, configFor(upstreamPort));
  return {
    name: 'litellm',
    executable,
    args: (port) => ['--config', config, '--host', '127.0.0.1', '--port', String(port)],
    // Its map of prices comes from its own package.
    environment: {
      LITELLM_MASTER_KEY: LITELLM_KEY,
      LITELLM_LOCAL_MODEL_COST_MAP: 'True',
      LITELLM_TELEMETRY: 'False',
    },
    readyPath: '/health/liveliness',
  };
};
