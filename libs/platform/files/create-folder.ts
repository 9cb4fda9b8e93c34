import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';

const OWNER_ONLY = 0o700;

/**
 * Creates a folder with its parents, for their owner. The recursive `mkdir` of Node never ends
 * where the file system has the parent and answers ENOENT, as `/proc` does.
 * @returns the first folder that was created; undefined if the folder was there
 */
export const createFolder = async (folder: string): Promise<string | undefined> => {
  if (await isFolder(folder)) return undefined;
  const parent = path.dirname(folder);
  const first = parent === folder ? undefined : await createFolder(parent);
  try {
    await mkdir(folder, { mode: OWNER_ONLY });
    return first ?? folder;
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' && (await isFolder(folder)))
      return first;
    throw error;
  }
};

const isFolder = (folder: string): Promise<boolean> =>
  stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
