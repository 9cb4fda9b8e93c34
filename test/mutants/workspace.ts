import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

const LEFT_OUT: ReadonlySet<string> = new Set([
  'node_modules',
  'dist',
  'bundle',
  'coverage',
  '.git',
]);

/** A copy of the sources in a temporary folder. Mutants are written here and nowhere else. */
export class Workspace {
  static async copyOf(root: string): Promise<Workspace> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'mutants-'));
    const filter = (source: string): boolean => !LEFT_OUT.has(path.basename(source));
    await cp(root, folder, { recursive: true, filter, verbatimSymlinks: true });
    await symlink(path.resolve(root, 'node_modules'), path.join(folder, 'node_modules'));
    return new Workspace(folder);
  }

  private constructor(readonly folder: string) {}

  read(file: string): Promise<string> {
    return readFile(path.join(this.folder, file), 'utf8');
  }

  write(file: string, text: string): Promise<void> {
    return writeFile(path.join(this.folder, file), text);
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, maxRetries: 5 });
  }
}
