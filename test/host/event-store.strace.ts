import { spawn } from 'node:child_process';
import { access, open, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { requireProgram } from '../servers/required-program.js';
import { type Report, reportOf, type WriterScript } from './event-store.script.js';

/** The writers run on the built store, as it will be shipped. */
const BUILT_STORE = path.resolve(import.meta.dirname, '../../dist/libs/platform/event-store');

export interface TracedRun {
  readonly reports: readonly Report[];
  /** The store's report on itself at the end; null when the program ended before. */
  readonly writable: boolean | null;
}

/** Standard output goes to a file: a pipe that is full would make the writer's lines fail. */
const run = async (args: readonly string[], output: string): Promise<string> => {
  await requireProgram('strace');
  const stdout = await open(output, 'w');
  const child = spawn('strace', args, { stdio: ['ignore', stdout.fd, 'pipe'] });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  }).finally(() => stdout.close());
  if (code !== 0) throw new Error(`strace ended with ${code ?? 'a signal'}: ${stderr}`);
  return stderr;
};

/** Runs one of the writers of this folder under strace. */
export const runTraced = async (
  program: 'event-store.writer' | 'event-store.careless-writer' | 'answers.writer',
  script: WriterScript,
  straceArgs: readonly string[],
): Promise<TracedRun> => {
  await access(BUILT_STORE).catch(() => {
    throw new Error(`${BUILT_STORE} is missing: npm run build`);
  });
  const scriptFile = `${script.file}.script.json`;
  await writeFile(scriptFile, JSON.stringify(script));
  const traced = [process.execPath, path.join(import.meta.dirname, `${program}.ts`), scriptFile];
  const output = `${script.file}.output.txt`;
  const stderr = await run(['-f', ...straceArgs, ...traced], output);
  const reports = (await readFile(output, 'utf8')).split('\n').filter(Boolean).map(reportOf);
  const said = /^writable: (true|false)$/m.exec(stderr)?.[1];
  return { reports, writable: said === undefined ? null : said === 'true' };
};
