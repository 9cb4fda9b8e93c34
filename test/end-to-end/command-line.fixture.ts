import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { scopesOfRole } from '#areas/identity/keys/key-policy.js';
import { type Role } from '#events/identity/identity.vocabulary.js';
import { loadQuipu } from './loaded-quipu.js';
import { type World } from './quipu.harness.js';

export interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CreatedUser {
  readonly user_id: number;
  readonly api_key: string;
  readonly username: string;
}

/** A command in this process, which spares tests the start of another one. */
export const runCommand = async (
  environment: NodeJS.ProcessEnv,
  words: readonly string[],
): Promise<Ended> => {
  const { runCommandLine } = await loadQuipu();
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const stdin = Object.assign(new PassThrough(), { isTTY: false });
  const { signal } = new AbortController();
  const printed = { stdout: '', stderr: '' };
  stdout.setEncoding('utf8').on('data', (text: string) => (printed.stdout += text));
  stderr.setEncoding('utf8').on('data', (text: string) => (printed.stderr += text));
  const exitCode = await runCommandLine(words, { environment, stdin, stdout, stderr, signal });
  for (const stream of [stdout, stderr]) await finished(stream.end());
  return { exitCode, ...printed };
};

/** The command line beside a running Quipu, with `--json`. */
export class CommandLine {
  constructor(private readonly world: () => Pick<World, 'environment'>) {}

  run(...words: readonly string[]): Promise<Ended> {
    return runCommand(this.world().environment, [...words, '--json']);
  }

  /** The charges that the prices of the running catalog do not price again. */
  async unpricedCharges(): Promise<number> {
    const { QUIPU_CATALOG: catalog = '' } = this.world().environment;
    const words = ['--rate-card', catalog, '--from', '2000-01-01', '--to', '2999-01-01'];
    const replayed = await this.result('replay', ...words);
    return (replayed as { readonly unpriced_charges: number }).unpriced_charges;
  }

  /** The output of a command. @throws Error with its message, if it fails */
  async result(...words: readonly string[]): Promise<unknown> {
    const { exitCode, stdout, stderr } = await this.run(...words);
    if (exitCode !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  }

  /** A user whose key has every scope that the role allows. */
  async createUser(username: string, role: Role): Promise<CreatedUser> {
    const words = ['--username', username, '--email', `${username}@example.com`, '--role', role];
    const scopes = ['--scopes', scopesOfRole(role).join()];
    return (await this.result('user', 'create', ...words, ...scopes)) as CreatedUser;
  }
}
