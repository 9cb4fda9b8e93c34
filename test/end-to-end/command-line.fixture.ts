import { PassThrough } from 'node:stream';
import { runCommandLine } from '#apps/cli/command-line.js';
import { type World } from './quipu.harness.js';

export interface CreatedUser {
  readonly user_id: number;
  readonly api_key: string;
  readonly username: string;
}

/** The command line beside a running Quipu, with `--json`. */
export class CommandLine {
  constructor(private readonly world: () => Pick<World, 'environment'>) {}

  async run(...words: readonly string[]) {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const exitCode = await runCommandLine([...words, '--json'], {
      environment: this.world().environment,
      stdin: Object.assign(new PassThrough(), { isTTY: false }),
      stdout,
      stderr,
      signal: new AbortController().signal,
    });
    return { exitCode, stdout: String(stdout.read()), stderr: String(stderr.read()) };
  }

  /** What a command prints. @throws Error with its message, if it fails */
  async result(...words: readonly string[]): Promise<unknown> {
    const { exitCode, stdout, stderr } = await this.run(...words);
    if (exitCode !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  }

  async createUser(username: string, role: string): Promise<CreatedUser> {
    const words = ['--username', username, '--email', `${username}@example.com`, '--role', role];
    return (await this.result('user', 'create', ...words)) as CreatedUser;
  }
}
