import { watch } from 'node:fs';

export interface FolderWatch {
  close(): void;
}

/**
 * Calls back once after a burst of changes in a folder. The folder is watched and not the file,
 * because editors and deployments put a new file in the place of the old one.
 * @param concerns whether a changed name is relevant
 * @param quietMs quiet time after the last change, so that a file is not read half-written
 * @param onFailure the watch has ended; later changes are not noticed
 */
export const watchFolder = (
  folder: string,
  {
    concerns,
    quietMs,
    onChange,
    onFailure,
  }: {
    readonly concerns: (name: string) => boolean;
    readonly quietMs: number;
    readonly onChange: () => void;
    readonly onFailure: (error: unknown) => void;
  },
): FolderWatch => {
  let quiet: NodeJS.Timeout | undefined;
  const watcher = watch(folder, { persistent: false }, (_, name) => {
    if (name !== null && !concerns(name)) return;
    clearTimeout(quiet);
    quiet = setTimeout(onChange, quietMs).unref();
  });
  watcher.on('error', onFailure);
  return {
    close: () => {
      clearTimeout(quiet);
      watcher.close();
    },
  };
};
