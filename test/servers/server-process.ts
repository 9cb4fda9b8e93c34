import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type TestServer } from './test-server.js';

const POLL_MS = 20;
const LOG_TAIL_LENGTH = 2_000;

/** The program of a test server. */
export interface ServerProgram {
  /** The name in failures. */
  readonly name: string;
  /** The folder of data and log, removed with the server. */
  readonly folder: string;
  readonly url: string;
  readonly address: TestServer['address'];
  /** The program and its arguments. */
  readonly command: readonly [program: string, ...words: readonly string[]];
  readonly environment?: NodeJS.ProcessEnv;
  readonly startTimeoutMs: number;
  /** Whether the server answers a request; never rejects. */
  answers(): Promise<boolean>;
}

/** A server in a separate process. */
export class ServerProcess implements TestServer {
  #process: ChildProcess | null = null;

  constructor(private readonly program: ServerProgram) {}

  get url(): string {
    return this.program.url;
  }

  get address(): TestServer['address'] {
    return this.program.address;
  }

  /** Resolves when the server answers. @throws Error with the end of its log */
  async start(): Promise<this> {
    const { command, environment = process.env, startTimeoutMs } = this.program;
    const [program, ...words] = command;
    const log = openSync(this.#logFile, 'a');
    const child = spawn(program, words, { env: environment, stdio: ['ignore', log, log] });
    closeSync(log);
    this.#process = child;
    const deadline = performance.now() + startTimeoutMs;
    while (!(await this.program.answers())) {
      if (hasEnded(child) || performance.now() > deadline) {
        await this.kill();
        throw new Error(`${this.program.name} did not start:\n${await this.#logTail()}`);
      }
      await sleep(POLL_MS);
    }
    return this;
  }

  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (!child || hasEnded(child)) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.start();
  }

  freeze(): void {
    this.#process?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#process?.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.program.folder, { recursive: true, force: true });
  }

  get #logFile(): string {
    return path.join(this.program.folder, 'server.log');
  }

  async #logTail(): Promise<string> {
    return (await readFile(this.#logFile, 'utf8')).slice(-LOG_TAIL_LENGTH);
  }
}

/** A program that could not be started has no exit code. */
const hasEnded = ({ pid, exitCode, signalCode }: ChildProcess): boolean =>
  pid === undefined || exitCode !== null || signalCode !== null;

/**
 * Distinct free ports of loopback, below the ports of outgoing connections on Linux (32768 and
 * above): no connection takes one before the server listens. Calls of one process differ.
 */
export const freePorts = async (count: number): Promise<readonly number[]> => {
  const ports: number[] = [];
  for (let tries = 0; ports.length < count; tries += 1) {
    if (tries > PORTS.count) throw new Error(`fewer than ${count} free ports`);
    const port = PORTS.first + (nextPort % PORTS.count);
    nextPort += 1;
    if (await isFree(port)) ports.push(port);
  }
  return ports;
};

const PORTS = { first: 10_000, count: 10_000 };
let nextPort = randomInt(PORTS.count);

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer().listen(port, '127.0.0.1');
  const isBound = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  if (isBound) await once(server.close(), 'close');
  return isBound;
};
