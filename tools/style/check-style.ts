/**
 * Reports words and phrases of the lists below, lines over 100 columns and files over 400 lines,
 * unless `allow-list.json` names the file. Part of `npm run lint`; Node runs this file from its
 * source.
 *
 *   node tools/style/check-style.ts          every problem; exit status 1 if there is one
 *   node tools/style/check-style.ts --list   counts by folder, allowed files included
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const COLUMNS_MAX = 100;
const LINES_MAX = 400;
const ALLOW_LIST = 'tools/style/allow-list.json';

const CHECKED = ['.ts', '.tsx', '.mjs', '.md', '.yaml', '.yml'];
/** Prettier wraps prose in Markdown and YAML as its author did, and tables cannot be wrapped. */
const CHECKED_FOR_WIDTH = ['.ts', '.tsx', '.mjs'];
const NOT_OURS = ['node_modules', 'dist', 'bundle', 'coverage', '.git', '.quipu'];

/**
 * The words to write instead. "reader", "place", "follower" and "gauge" are missing: they are also
 * the standard words for other things (a file reader, a gauge of Prometheus).
 */
const INSTEAD: Readonly<Record<string, readonly string[]>> = {
  'the component, or the passive': ['whoever', 'nobody', 'somebody'],
  'again, or from the start': ['anew'],
  'reports, is passed, knows from': ['told'],
  'repair or fix': ['mend', 'mends', 'mended', 'mending'],
  'foreign, unknown': ['stranger', 'strangers'],
  'leadership term': ['tenure', 'tenures', 'reign', 'reigns'],
  down: ['deaf', 'deafness'],
  'dead-letter': ['bury', 'buries', 'buried', 'burying'],
  'exit reason': ['epitaph', 'epitaphs'],
  store: ['shelf', 'shelves'],
  patch: ['cure', 'cures', 'cured'],
  unhealthy: ['ill', 'illness'],
  'domain error, or rejection': ['refusal', 'refusals'],
};

const BANNED = new Map(
  Object.entries(INSTEAD).flatMap(([instead, words]) => words.map((word) => [word, instead])),
);

/**
 * Phrases that read as translated. Each names a thing by a clause, where a noun of the component
 * belongs. Found by regular expressions, so only phrases that have no plain use are listed.
 */
const PHRASES: readonly { readonly found: RegExp; readonly instead: string }[] = [
  { found: /(?:\/\*\*|\/\/) What (?!.*[?])/, instead: 'the noun: "the events of a command"' },
  {
    found: /\b(?:of|for|by|from|than|with) what (?!to\b)/,
    instead: 'the noun that the clause names',
  },
  { found: /\bthose (?:of|that|which|who|with|in|on|from|at|by|for)\b/, instead: 'the noun again' },
  { found: /\b(?:is|are|than|be|over|equals?|with) that of\b/, instead: 'the noun again' },
  {
    found: /\bstands? (?:in|at|beside|between|still|there|for)\b/,
    instead: '"is", or a verb that says how',
  },
  { found: /\b(?:goes?|going|went|gone) on\b/, instead: 'continues, runs, lasts' },
  { found: /\b(?:is|are) none of\b/, instead: '"belongs to another", or what is expected' },
  { found: /\b(?:the|its|an) own one\b/, instead: 'the noun again' },
  {
    found: /\b(?:for|after|every|most|by|in|at|only) so (?:long|many|often)\b/,
    instead: 'the number',
  },
  { found: /\bthe most at once\b/, instead: '"at most N at once"' },
  { found: /\bwithout[.;]/, instead: 'the noun that is missing' },
];

export type Rule = 'word' | 'phrase' | 'width' | 'length';

export interface Problem {
  readonly file: string;
  /** From 1; 0 for the name of the file and for its length. */
  readonly line: number;
  readonly rule: Rule;
  readonly text: string;
}

export interface Allowance {
  /** A glob, relative to the root. */
  readonly path: string;
  readonly rules: readonly Rule[];
  readonly reason: string;
}

/** Words of prose and of identifiers: `bus-toldOff` is bus, told, off. */
const wordsOf = (text: string): readonly string[] =>
  (text.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []).map((word) => word.toLowerCase());

const bannedWords = (file: string, line: number, text: string): readonly Problem[] =>
  wordsOf(text).flatMap((word) => {
    const instead = BANNED.get(word);
    return instead ? [{ file, line, rule: 'word', text: `"${word}": write ${instead}` }] : [];
  });

const bannedPhrases = (file: string, line: number, text: string): readonly Problem[] =>
  PHRASES.flatMap(({ found, instead }) => {
    const [phrase] = found.exec(text) ?? [];
    if (phrase === undefined) return [];
    return [{ file, line, rule: 'phrase', text: `"${phrase.trim()}": write ${instead}` }];
  });

const tooWide = (file: string, line: number, text: string): readonly Problem[] => {
  const columns = Array.from(text).length;
  if (columns <= COLUMNS_MAX) return [];
  return [{ file, line, rule: 'width', text: `${columns} columns, at most ${COLUMNS_MAX}` }];
};

/** @param file relative to the root, with slashes */
export const problemsOf = (file: string, content: string): readonly Problem[] => {
  const extension = path.extname(file);
  if (!CHECKED.includes(extension)) return [];
  const lines = content.replace(/\n$/, '').split('\n');
  const problems = [...bannedWords(file, 0, file)];
  if (lines.length > LINES_MAX) {
    const text = `${lines.length} lines, at most ${LINES_MAX}`;
    problems.push({ file, line: 0, rule: 'length', text });
  }
  const hasWidth = CHECKED_FOR_WIDTH.includes(extension);
  for (const [index, text] of lines.entries()) {
    problems.push(...bannedWords(file, index + 1, text), ...bannedPhrases(file, index + 1, text));
    if (hasWidth) problems.push(...tooWide(file, index + 1, text));
  }
  return problems;
};

const allows = ({ path: glob, rules }: Allowance, { file, rule }: Problem): boolean =>
  rules.includes(rule) && path.posix.matchesGlob(file, glob);

/** Problems that no allowance covers, and a problem for each allowance that covers none. */
export const withoutAllowed = (
  problems: readonly Problem[],
  allowances: readonly Allowance[],
): readonly Problem[] => {
  const left = problems.filter((problem) => !allowances.some((each) => allows(each, problem)));
  const unused = allowances.flatMap((each) =>
    each.rules
      .filter((rule) => !problems.some((problem) => allows({ ...each, rules: [rule] }, problem)))
      .map((rule) => ({
        file: ALLOW_LIST,
        line: 0,
        rule,
        text: `"${each.path}" needs no allowance any more`,
      })),
  );
  return [...left, ...unused];
};

const walk = (root: string, folder = ''): readonly string[] =>
  readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.posix.join(folder, entry.name);
    if (NOT_OURS.includes(entry.name)) return [];
    if (entry.isDirectory()) return walk(root, file);
    return entry.isFile() ? [file] : [];
  });

/**
 * The files that git tracks or would add; without git, every file that is neither installed nor
 * built.
 */
const filesOf = (root: string): readonly string[] => {
  if (!existsSync(path.join(root, '.git'))) return walk(root);
  const options = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const listed = execFileSync('git', options, { cwd: root, encoding: 'utf8' });
  const files = listed.split('\0').filter((file) => file !== '');
  return [...new Set(files)].filter((file) => existsSync(path.join(root, file)));
};

const allProblems = (root: string): readonly Problem[] =>
  filesOf(root)
    .filter((file) => CHECKED.includes(path.extname(file)))
    .flatMap((file) => problemsOf(file, readFileSync(path.join(root, file), 'utf8')));

const countsByFolder = (problems: readonly Problem[]): string => {
  const counts = new Map<string, number>();
  for (const { file, rule } of problems) {
    const folder = path.posix.dirname(file).split('/').slice(0, 3).join('/');
    const key = `${folder} ${rule}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const rows = [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
  return rows.map(([key, count]) => `${String(count).padStart(5)} ${key}\n`).join('');
};

const main = (root: string): void => {
  const problems = allProblems(root);
  if (process.argv.includes('--list')) {
    process.stdout.write(countsByFolder(problems));
    return;
  }
  const allowList = path.join(root, ALLOW_LIST);
  const allowances = existsSync(allowList)
    ? (JSON.parse(readFileSync(allowList, 'utf8')) as readonly Allowance[])
    : [];
  const left = withoutAllowed(problems, allowances);
  for (const { file, line, rule, text } of left) {
    process.stdout.write(`${file}${line > 0 ? `:${line}` : ''} ${rule}: ${text}\n`);
  }
  if (left.length > 0) process.exitCode = 1;
};

if (import.meta.main) main(process.cwd());
