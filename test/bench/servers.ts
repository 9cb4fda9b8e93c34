import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import { type TestServer } from '../servers/test-server.js';
import { type Part } from './bench-options.js';

/** What the servers of a part are made with or run on. */
const TOOLS: Partial<Readonly<Record<Part, readonly string[]>>> = {
  fleet: ['java', 'mvn', 'go'],
  rebuild: ['go'],
  worker: ['java', 'mvn'],
};

const isInstalled = async (tool: string): Promise<boolean> => {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  const found = await Promise.allSettled(
    folders.map((folder) => access(path.join(folder, tool), constants.X_OK)),
  );
  return found.some(({ status }) => status === 'fulfilled');
};

/** @throws with the name of a tool that is not there */
export const requireTools = async (parts: ReadonlySet<Part>): Promise<void> => {
  for (const part of parts)
    for (const tool of TOOLS[part] ?? [])
      if (!(await isInstalled(tool)))
        throw new Error(`the part ${part} needs ${tool}, and there is none in PATH`);
};

const running = new Set<TestServer>();
// Signals are sent before the first wait, so they leave although nothing is waited for here.
process.on('exit', () => {
  for (const server of running) void server.kill();
});

/** Servers never outlive the bench, however it ends. */
export const started = async <Server extends TestServer>(
  starting: Promise<Server>,
): Promise<Server> => {
  const server = await starting;
  running.add(server);
  return server;
};

export const stopServer = async (server: TestServer): Promise<void> => {
  await server.stop();
  running.delete(server);
};
