import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describeMutant, type Mutant } from './mutants.js';
import { type MutantResult } from './mutant-run.js';

/** A mutant that no test can catch, and why. `mutant` has no line number, so that it stays true. */
export interface Equivalent {
  readonly file: string;
  /** `operator: before -> after`, as a run prints it. */
  readonly mutant: string;
  /** A part of the line, where the file has several such mutants. */
  readonly line?: string;
  readonly reason: string;
}

/** The result of the last run over a file. */
export interface FileResult {
  readonly file: string;
  readonly date: string;
  readonly commit: string;
  /** Every mutant of the file, run or not. */
  readonly mutants: number;
  readonly run: number;
  readonly killed: number;
  readonly timedOut: number;
  readonly equivalent: number;
  readonly survivors: readonly string[];
}

/** The caught mutants among the catchable ones, in percent. */
export const scoreOf = (
  results: readonly Pick<FileResult, 'run' | 'killed' | 'timedOut' | 'equivalent'>[],
): number => {
  const sum = (of: (one: (typeof results)[number]) => number): number =>
    results.reduce((total, one) => total + of(one), 0);
  const possible = sum(({ run, equivalent }) => run - equivalent);
  const caught = sum(({ killed, timedOut }) => killed + timedOut);
  return possible === 0 ? 100 : (100 * caught) / possible;
};

const kindOf = (mutant: Mutant): string =>
  describeMutant(mutant).slice(`${mutant.file}:${mutant.line} `.length);

export const equivalentOf = (
  mutant: Mutant,
  source: string,
  equivalents: readonly Equivalent[],
): Equivalent | undefined => {
  const line = source.split('\n')[mutant.line - 1] ?? '';
  return equivalents.find(
    (one) =>
      one.file === mutant.file &&
      one.mutant === kindOf(mutant) &&
      (one.line === undefined || line.includes(one.line)),
  );
};

/** @param all every mutant of the file */
export const fileResultOf = (
  file: string,
  all: readonly Mutant[],
  found: readonly MutantResult[],
  isEquivalent: (mutant: Mutant) => boolean,
): Omit<FileResult, 'date' | 'commit'> => {
  const survivors = found.filter(({ verdict }) => verdict === 'survived');
  const real = survivors.filter(({ mutant }) => !isEquivalent(mutant));
  return {
    file,
    mutants: all.length,
    run: found.length,
    killed: found.filter(({ verdict }) => verdict === 'killed').length,
    timedOut: found.filter(({ verdict }) => verdict === 'timed out').length,
    equivalent: survivors.length - real.length,
    survivors: real.map(({ mutant }) => describeMutant(mutant)),
  };
};

const rowOf = ({ file, date, commit, mutants, run, killed, timedOut, ...rest }: FileResult) =>
  `| \`${file}\` | ${date} | \`${commit}\` | ${mutants} | ${run} | ${killed} | ${timedOut} | ` +
  `${rest.equivalent} | ${rest.survivors.length} |`;

const folderOf = ({ file }: FileResult): string => path.posix.dirname(file);

const summaryOf = (results: readonly FileResult[]): readonly string[] => {
  const folders = [...new Set(results.map(folderOf))];
  const row = (name: string, of: readonly FileResult[]): string => {
    const [all, run] = [of.reduce((n, r) => n + r.mutants, 0), of.reduce((n, r) => n + r.run, 0)];
    return `| ${name} | ${of.length} | ${all} | ${run} | ${scoreOf(of).toFixed(1)} % |`;
  };
  return [
    '| folder | files | mutants | run | score |',
    '| --- | --- | --- | --- | --- |',
    ...folders.map((folder) =>
      row(
        `\`${folder}\``,
        results.filter((one) => folderOf(one) === folder),
      ),
    ),
    row('all', results),
  ];
};

/** The results as a document. */
export const documentOf = (
  results: readonly FileResult[],
  equivalents: readonly Equivalent[],
): string =>
  [
    '# Results of the last runs',
    '',
    '`npm run mutants -- --write` writes this file: one row for each file that was run, from its',
    'last run. Score: caught (killed or timed out) of the catchable ones.',
    '',
    ...summaryOf(results),
    '',
    '| file | date | commit | mutants | run | killed | timed out | equivalent | survived |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...results.map(rowOf),
    '',
    '## Survivors',
    '',
    ...results.flatMap(({ survivors }) => survivors.map((one) => `- \`${one}\``)),
    '',
    '## Equivalents',
    '',
    ...equivalents.map(({ file, mutant, reason }) => `- \`${file}\` \`${mutant}\`: ${reason}`),
    '',
  ].join('\n');

/** Replaces the results of one file, which is read again: two runs may write by turns. */
export const saveResult = async (
  folder: string,
  result: FileResult,
  equivalents: readonly Equivalent[],
): Promise<void> => {
  const stored = path.join(folder, 'results.json');
  const before = JSON.parse(await readFile(stored, 'utf8').catch(() => '[]')) as FileResult[];
  const others = before.filter(({ file }) => file !== result.file);
  const results = [...others, result].sort((a, b) => a.file.localeCompare(b.file));
  await writeFile(stored, `${JSON.stringify(results, null, 2)}\n`);
  await writeFile(path.join(folder, 'results.md'), documentOf(results, equivalents));
};
