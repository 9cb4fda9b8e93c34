import { access, constants } from 'node:fs/promises';
import path from 'node:path';

/** The programs that servers and suites run, each with its Debian package. */
const PACKAGES = {
  'espeak-ng': 'espeak-ng',
  etcd: 'etcd-server',
  ffmpeg: 'ffmpeg',
  ffprobe: 'ffmpeg',
  go: 'golang',
  java: 'openjdk-17-jre-headless',
  mvn: 'maven',
  strace: 'strace',
  swtpm: 'swtpm',
  tpm2_quote: 'tpm2-tools',
} as const;

export type RequiredProgram = keyof typeof PACKAGES;

/** @throws Error with the package to install, unless the program is in PATH */
export const requireProgram = async (program: RequiredProgram): Promise<void> => {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  const found = await Promise.allSettled(
    folders.map((folder) => access(path.join(folder, program), constants.X_OK)),
  );
  if (found.some(({ status }) => status === 'fulfilled')) return;
  throw new Error(`${program} is not in PATH: apt-get install -y ${PACKAGES[program]}`);
};
