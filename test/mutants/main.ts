/**
 * Changes the sources one place at a time and runs the nearest specs on each change. What no spec
 * notices is a survivor.
 *
 *   npm run mutants -- [path… | --named] [--sample N] [--seed S] [--specs N] [--list] [--write]
 */
import { execFileSync } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { readOptions, type MutantOptions, sampleOf } from './mutant-options.js';
import { MutantRun, type MutantResult, UnfitSpecsError } from './mutant-run.js';
import { describeMutant, type Mutant } from './mutants.js';
import { namedMutantsOf } from './named.mutants.js';
import { SourceGraph } from './related-specs.js';
import { type Equivalent, equivalentOf, fileResultOf, saveResult, scoreOf } from './results.js';
import { SpecRunner } from './spec-runner.js';
import { Workspace } from './workspace.js';

const ROOT = process.cwd();
const OWN = path.join(ROOT, 'test/mutants');
const LIMITS = { slowness: 3, graceMs: 10_000 };
const TEST_TIMEOUT_MS = 20_000;

/** Test doubles, and what only declares. */
const NO_TARGET = /\.(spec|contract|fake|fixture|module|port|errors|protocol|d)\.ts$/;

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const targetsIn = async (given: string): Promise<readonly string[]> => {
  const found = path.resolve(ROOT, given);
  const relative = (file: string): string => path.relative(ROOT, file).split(path.sep).join('/');
  if ((await stat(found)).isFile()) return [relative(found)];
  const entries = await readdir(found, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .filter(({ name }) => !NO_TARGET.test(name))
    .map(({ parentPath, name }) => relative(path.join(parentPath, name)))
    .sort();
};

const commitNow = (): string => {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  const isChanged = git('status', '--porcelain', '--', 'libs', 'apps', 'events') !== '';
  return `${git('rev-parse', '--short', 'HEAD')}${isChanged ? ' and changes' : ''}`;
};

const readEquivalents = async (): Promise<readonly Equivalent[]> =>
  JSON.parse(await readFile(path.join(OWN, 'equivalents.json'), 'utf8')) as Equivalent[];

class Command {
  readonly #found: MutantResult[] = [];
  #equivalent = 0;
  #isComplete = true;

  constructor(
    private readonly options: MutantOptions,
    private readonly run: MutantRun,
    private readonly graph: SourceGraph,
    private readonly equivalents: readonly Equivalent[],
  ) {}

  /** Whether every file could be run, and nothing survived. */
  async execute(): Promise<boolean> {
    const { named, paths } = this.options;
    const files = named
      ? [...new Set((await namedMutantsOf(ROOT)).map(({ file }) => file))]
      : (await Promise.all(paths.map(targetsIn))).flat();
    for (const file of files) await this.#file(file);
    const survived = this.#found.filter(({ verdict }) => verdict === 'survived').length;
    const timedOut = this.#found.filter(({ verdict }) => verdict === 'timed out').length;
    const run = this.#found.length;
    const killed = run - survived - timedOut;
    const totals = { run, killed, timedOut, equivalent: this.#equivalent };
    print(
      `${run} mutants: ${killed} killed, ${timedOut} timed out, ${this.#equivalent} equivalent, ` +
        `${survived - this.#equivalent} survived; score ${scoreOf([totals]).toFixed(1)} %`,
    );
    return this.#isComplete && survived === this.#equivalent;
  }

  async #file(file: string): Promise<void> {
    const { sample, seed, named, list, specsMax } = this.options;
    const all = await this.run.mutantsOf(file);
    const chosen = named
      ? (await namedMutantsOf(ROOT)).filter((mutant) => mutant.file === file)
      : sampleOf(all, sample, seed);
    if (list) {
      print(`${file}: ${all.length} mutants; ${this.graph.specsOf(file, specsMax).join(', ')}`);
      for (const mutant of chosen) print(`  ${describeMutant(mutant)}`);
      return;
    }
    try {
      await this.#runAll(file, all, chosen);
    } catch (error) {
      if (!(error instanceof UnfitSpecsError)) throw error;
      this.#isComplete = false;
      print(`not run: ${error.message}`);
    }
  }

  async #runAll(file: string, all: readonly Mutant[], chosen: readonly Mutant[]): Promise<void> {
    const source = await readFile(path.join(ROOT, file), 'utf8');
    const isEquivalent = (mutant: Mutant): boolean =>
      equivalentOf(mutant, source, this.equivalents) !== undefined;
    const found: MutantResult[] = [];
    for await (const result of this.run.run(file, chosen)) {
      found.push(result);
      const { mutant, verdict, killer } = result;
      const isKnown = verdict === 'survived' && isEquivalent(mutant);
      const by = this.options.named && killer !== null ? ` by ${killer}` : '';
      print(`${isKnown ? 'equivalent' : verdict}: ${describeMutant(mutant)}${by}`);
    }
    this.#found.push(...found);
    const result = fileResultOf(file, all, found, isEquivalent);
    this.#equivalent += result.equivalent;
    if (!this.options.write || found.length === 0) return;
    const date = new Date().toISOString().slice(0, 10);
    await saveResult(OWN, { ...result, date, commit: commitNow() }, this.equivalents);
  }
}

const main = async (): Promise<void> => {
  const options = readOptions(process.argv.slice(2));
  const workspace = await Workspace.copyOf(ROOT);
  const runner = new SpecRunner(workspace.folder, TEST_TIMEOUT_MS);
  const clean = async (): Promise<void> => {
    await runner.close();
    await workspace.remove();
  };
  const interrupted = (): void => void clean().then(() => process.exit(130));
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    const graph = await SourceGraph.read(workspace.folder);
    const limits = { ...LIMITS, specsMax: options.specsMax };
    const run = new MutantRun(workspace, graph, runner, limits);
    const command = new Command(options, run, graph, await readEquivalents());
    if (!(await command.execute())) process.exitCode = 1;
  } finally {
    await clean();
  }
};

await main();
