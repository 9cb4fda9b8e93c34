import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, rename } from 'node:fs/promises';
import { reject } from '../rentals.errors.js';
import { systemCodeOf } from '../system-error.js';
import { namesOf } from './workspace-path.js';

const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** A named pipe is opened without waiting, and then rejected. */
const FILE_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

const MODE_BITS = 0o777;
const NEW_FILE_MODE = 0o644;
const NEW_FOLDER_MODE = 0o755;

/**
 * The place of a file in a workspace. It is found folder by folder, each opened in the one before
 * it and none through a symbolic link: a program that moves folders meanwhile cannot lead it out of
 * the workspace. Linux shows an open folder under `/proc/self/fd`.
 */
export class ConfinedFile {
  private constructor(
    private readonly folder: FileHandle,
    private readonly name: string,
  ) {}

  /**
   * Creates missing folders.
   * @throws DomainError `sync_path_invalid`, `workspace_unreachable`
   */
  static async open(workspace: string, filePath: string): Promise<ConfinedFile> {
    const names = [...namesOf(filePath)];
    const name = names.pop() ?? '';
    let folder = await open(workspace, FOLDER_FLAGS).catch(() => unreachable());
    for (const next of names) {
      const parent = folder;
      try {
        folder = await openFolder(inside(parent, next), next);
      } finally {
        await parent.close();
      }
    }
    return new ConfinedFile(folder, name);
  }

  get #path(): string {
    return inside(this.folder, this.name);
  }

  /**
   * The file as it is now; null where there is none. The caller closes it.
   * @throws DomainError `sync_not_a_file` for a folder, a link or a device
   */
  async read(): Promise<FileHandle | null> {
    const file = await open(this.#path, FILE_FLAGS).catch((error: unknown) => {
      if (systemCodeOf(error) === 'ENOENT') return null;
      if (['ELOOP', 'EISDIR', 'ENXIO'].includes(systemCodeOf(error))) return this.#notAFile();
      throw error;
    });
    if (file && !(await file.stat()).isFile()) {
      await file.close();
      this.#notAFile();
    }
    return file;
  }

  /**
   * Moves a file with durable content here, in one step; the mode of the file that it replaces
   * stays.
   * @throws DomainError `sync_not_a_file`
   */
  async replace(staged: string): Promise<void> {
    const before = await lstat(this.#path).catch(() => null);
    if (before && !before.isFile()) this.#notAFile();
    const content = await open(staged, 'r');
    try {
      await content.chmod(before ? before.mode & MODE_BITS : NEW_FILE_MODE);
      await content.sync();
    } finally {
      await content.close();
    }
    await rename(staged, this.#path).catch((error: unknown) => {
      if (systemCodeOf(error) === 'EISDIR') this.#notAFile();
      throw error;
    });
    await this.folder.sync();
  }

  async close(): Promise<void> {
    await this.folder.close();
  }

  #notAFile(): never {
    return reject('sync_not_a_file', 'file_path is a folder, a symbolic link or a device');
  }
}

const inside = ({ fd }: FileHandle, name: string): string => `/proc/self/fd/${fd}/${name}`;

const openFolder = async (path: string, name: string): Promise<FileHandle> => {
  await mkdir(path, NEW_FOLDER_MODE).catch((error: unknown) => {
    if (systemCodeOf(error) !== 'EEXIST') throw error;
  });
  return open(path, FOLDER_FLAGS).catch((error: unknown) => {
    if (['ELOOP', 'ENOTDIR'].includes(systemCodeOf(error))) {
      reject('sync_path_invalid', `${name} in file_path is a symbolic link or no folder`);
    }
    throw error;
  });
};

const unreachable = (): never =>
  reject('workspace_unreachable', 'the workspace of the rental is not on this machine');
