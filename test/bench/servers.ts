import { requireProgram, type RequiredProgram } from '../servers/required-program.js';
import { type TestServer } from '../servers/test-server.js';
import { type Part } from './bench-options.js';

/** The tools that make or run the servers of a part. */
const TOOLS: Partial<Readonly<Record<Part, readonly RequiredProgram[]>>> = {
  fleet: ['java', 'mvn', 'go'],
  rebuild: ['go'],
  worker: ['java', 'mvn'],
};

/** @throws Error with the package of a missing program */
export const requireTools = async (parts: ReadonlySet<Part>): Promise<void> => {
  for (const part of parts) for (const tool of TOOLS[part] ?? []) await requireProgram(tool);
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
