import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { goProgram } from '../go-program.js';
import { freePorts, ServerProcess } from '../server-process.js';
import { type TestServer } from '../test-server.js';

const START_TIMEOUT_MS = 120_000;
const HEALTH = '/health';

/** The environment of a client of the server. */
export const S3_CREDENTIALS = {
  AWS_ACCESS_KEY_ID: 'quipu',
  AWS_SECRET_ACCESS_KEY: 'quipu-test-secret',
} as const;

/** A server of S3's protocol, without a bucket. */
export const startS3 = async (): Promise<TestServer> => {
  const program = await goProgram({
    name: 'versitygw',
    folder: 'test/servers/s3/versitygw',
    files: ['go.mod', 'go.sum'],
    package: 'github.com/versity/versitygw/cmd/versitygw',
  });
  const folder = await mkdtemp(path.join(tmpdir(), 'quipu-s3-'));
  try {
    const [objects, metadata] = [path.join(folder, 'objects'), path.join(folder, 'metadata')];
    await Promise.all([mkdir(objects), mkdir(metadata)]);
    const [port = 0] = await freePorts(1);
    const url = `http://127.0.0.1:${port}`;
    const { AWS_ACCESS_KEY_ID: access, AWS_SECRET_ACCESS_KEY: secret } = S3_CREDENTIALS;
    const gateway = ['--port', `127.0.0.1:${port}`, '--access', access, '--secret', secret];
    const backend = ['posix', '--sidecar', metadata, objects];
    const server = new ServerProcess({
      name: 'the S3 server',
      folder,
      url,
      address: { host: '127.0.0.1', port },
      command: [program, ...gateway, '--quiet', '--health', HEALTH, ...backend],
      startTimeoutMs: START_TIMEOUT_MS,
      answers: () => answers(`${url}${HEALTH}`),
    });
    return await server.start();
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
};

const answers = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
};
