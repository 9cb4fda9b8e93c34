import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Failed specs leave servers and timers behind, so a process runs only a limited number. */
const RUNS_PER_PROCESS = 20;
const CHILD = 'test/mutants/jest.child.mjs';

export interface SpecFailure {
  readonly spec: string;
  readonly test: string;
  readonly message: string;
}

export type SpecOutcome =
  | { readonly status: 'passed'; readonly tests: number }
  | { readonly status: 'failed'; readonly failure: SpecFailure }
  | { readonly status: 'timed out' };

const ENDED: SpecFailure = { spec: '', test: 'the process that runs the specs ended', message: '' };

type Answer =
  | { readonly passed: number; readonly failure: SpecFailure | null }
  | { readonly error: string }
  | 'ended'
  | 'timed out';

/** Runs specs of a copy of the sources, in a process that is kept between runs. */
export class SpecRunner {
  #child: ChildProcess | undefined;
  #runs = 0;

  /**
   * @param root of the copy
   * @param testTimeoutMs after which one test fails
   */
  constructor(
    private readonly root: string,
    private readonly testTimeoutMs: number,
  ) {}

  /**
   * Runs specs in this order up to the first that fails.
   * @param limitMs after which the process is killed, as in an endless loop
   */
  async run(specs: readonly string[], limitMs: number): Promise<SpecOutcome> {
    const child = await this.#ready();
    const answer = await this.#ask(child, specs, limitMs);
    this.#runs += 1;
    const isGone = answer === 'ended' || answer === 'timed out';
    if (isGone || this.#runs >= RUNS_PER_PROCESS) await this.close();
    if (answer === 'timed out') return { status: 'timed out' };
    if (answer === 'ended') return { status: 'failed', failure: ENDED };
    if ('error' in answer) throw new Error(`Jest did not run: ${answer.error}`);
    const { passed, failure } = answer;
    return failure === null ? { status: 'passed', tests: passed } : { status: 'failed', failure };
  }

  async close(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    this.#runs = 0;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  async #ready(): Promise<ChildProcess> {
    if (this.#child?.connected) return this.#child;
    const child = fork(path.join(this.root, CHILD), [], {
      cwd: this.root,
      execArgv: [
        '--import=./test/typescript-workers.mjs',
        '--experimental-vm-modules',
        '--disable-warning=ExperimentalWarning',
      ],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#child = child;
    await Promise.race([once(child, 'message'), failOnExit(child)]);
    return child;
  }

  async #ask(child: ChildProcess, specs: readonly string[], limitMs: number): Promise<Answer> {
    const stop = new AbortController();
    const { signal } = stop;
    const answers = [
      once(child, 'message', { signal }).then(([message]) => message as Answer),
      once(child, 'exit', { signal }).then(() => 'ended' as const),
      sleep(limitMs, 'timed out' as const, { signal }),
    ];
    child.send({ specs, testTimeoutMs: this.testTimeoutMs });
    try {
      return await Promise.race(answers);
    } finally {
      stop.abort();
      await Promise.allSettled(answers);
    }
  }
}

const failOnExit = async (child: ChildProcess): Promise<never> => {
  const [code] = (await once(child, 'exit')) as [number | null];
  throw new Error(`the process that runs the specs ended with ${code ?? 'a signal'}`);
};
