import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';

const MAIN = path.resolve(import.meta.dirname, '../../bundle/apps/processes/standalone.main.js');
const CLI = path.resolve(import.meta.dirname, '../../bundle/apps/cli/main.js');

/** A whole Quipu in a process that can be killed and started again on its home. */
export class KillableQuipu {
  #process: ChildProcess | undefined;

  constructor(
    readonly home: string,
    private readonly port: number,
    private readonly catalog: string,
    private readonly variables: NodeJS.ProcessEnv = {},
  ) {}

  get environment(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      NODE_OPTIONS: '',
      PORT: String(this.port),
      QUIPU_HOME: this.home,
      QUIPU_CATALOG: this.catalog,
      QUIPU_LOG_LEVEL: 'fatal',
      // Whatever the machine has: a signal reaches all of it at once.
      QUIPU_PROCESSES: '1',
      ...this.variables,
    };
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  async start(): Promise<void> {
    if (!existsSync(MAIN)) throw new Error(`${MAIN} is missing: run npm run build first`);
    const child = spawn(process.execPath, [MAIN], {
      env: this.environment,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    this.#process = child;
    for (;;) {
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
      const ready = await fetch(`${this.url}/health/ready`).catch(() => undefined);
      if (ready?.ok) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Resolves to the exit code, or null where the signal ended the process. */
  async kill(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return null;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
    return child.exitCode;
  }

  /** Every event of the log, while the process runs or not. */
  async events(): Promise<readonly RecordedEvent[]> {
    const store = await openSqliteEventStore({ file: path.join(this.home, 'events.db') });
    try {
      return (await Array.fromAsync(store.readAll())).flat();
    } finally {
      await store.close();
    }
  }

  /** The answer of `quipu ledger check` on the log as kills left it, while the server runs. */
  checkLedger(): Promise<unknown> {
    return this.answer('ledger', 'check');
  }

  /** The answer of a command on the log, while the server runs or not. */
  async answer(...command: readonly string[]): Promise<unknown> {
    const child = spawn(process.execPath, [CLI, ...command, '--json'], {
      env: this.environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    return JSON.parse((await Array.fromAsync(child.stdout)).join(''));
  }
}
