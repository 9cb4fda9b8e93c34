import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

const FOLDERS = ['apps', 'libs', 'events', 'projections', 'tools', 'test/property'];
/** Every reference to a module: imports, dynamic imports and the files of worker threads. */
const REFERENCE = /['"]((?:\.{1,2}\/|#)[^'"\n]+\.js)['"]/g;
const SUBPATH = /^#(platform|engines|areas|events|projections|apps)\//;
const SUBPATH_ROOTS: Readonly<Record<string, string>> = {
  platform: 'libs/platform',
  engines: 'libs/engines',
  areas: 'libs/areas',
  events: 'events',
  projections: 'projections',
  apps: 'apps',
};

const resolve = (from: string, specifier: string): string => {
  const source = specifier.replace(/\.js$/, '.ts');
  const [matched, name] = SUBPATH.exec(source) ?? [];
  if (matched === undefined || name === undefined) {
    return path.posix.join(path.posix.dirname(from), source);
  }
  return `${SUBPATH_ROOTS[name] ?? name}/${source.slice(matched.length)}`;
};

const sourcesIn = async (root: string): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const folder of FOLDERS) {
    const options = { recursive: true, withFileTypes: true } as const;
    const entries = await readdir(path.join(root, folder), options).catch(() => []);
    for (const entry of entries) {
      const file = path.relative(root, path.join(entry.parentPath, entry.name));
      if (entry.isFile() && file.endsWith('.ts')) found.push(file.split(path.sep).join('/'));
    }
  }
  return found.sort();
};

/** Which source references which, in a tree of sources. */
export class SourceGraph {
  readonly #usersOf = new Map<string, Set<string>>();

  static async read(root: string): Promise<SourceGraph> {
    const graph = new SourceGraph(await sourcesIn(root));
    for (const file of graph.files) {
      const text = await readFile(path.join(root, file), 'utf8');
      for (const [, specifier = ''] of text.matchAll(REFERENCE)) {
        graph.#add(file, resolve(file, specifier));
      }
    }
    return graph;
  }

  private constructor(readonly files: readonly string[]) {}

  #add(user: string, used: string): void {
    const users = this.#usersOf.get(used) ?? new Set();
    this.#usersOf.set(used, users.add(user));
  }

  /**
   * The specs that reach a file: its own, then the specs with the shortest way, of its component
   * and the properties. Others only where they import the file itself.
   */
  specsOf(file: string, specsMax: number): readonly string[] {
    const component = path.posix.dirname(file).split('/').slice(0, 3).join('/');
    const seen = new Set([file]);
    const specs: string[] = [];
    let level: readonly string[] = [file];
    for (let steps = 1; level.length > 0; steps += 1) {
      const next = level.flatMap((one) => [...(this.#usersOf.get(one) ?? [])]);
      level = [...new Set(next)].filter((one) => !seen.has(one)).sort();
      for (const one of level) seen.add(one);
      const found = level.filter((one) => one.endsWith('.spec.ts'));
      const near = found.filter((one) => one.startsWith(`${component}/`));
      const properties = found.filter((one) => one.startsWith('test/property/'));
      const others = found.filter((one) => !near.includes(one) && !properties.includes(one));
      specs.push(...near, ...properties, ...(steps === 1 ? others : []));
    }
    const stem = file.replace(/\.ts$/, '');
    const isOwn = (spec: string): boolean => spec.startsWith(`${stem}.`);
    const ordered = [...specs.filter(isOwn), ...specs.filter((spec) => !isOwn(spec))];
    return ordered.slice(0, specsMax);
  }
}
