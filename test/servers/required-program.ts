import { access, constants } from 'node:fs/promises';
import path from 'node:path';

/** The programs that servers and suites run, each with its Debian package. */
const PACKAGES = {
  chromium: 'chromium',
  'espeak-ng': 'espeak-ng',
  etcd: 'etcd-server',
  ffmpeg: 'ffmpeg',
  ffprobe: 'ffmpeg',
  go: 'golang',
  java: 'openjdk-17-jre-headless',
  mvn: 'maven',
  python3: 'python3',
  strace: 'strace',
  swtpm: 'swtpm',
  tpm2_quote: 'tpm2-tools',
  turnserver: 'coturn',
} as const;

export type RequiredProgram = keyof typeof PACKAGES;

/** The path of a program. @throws Error with the package to install, unless it is in PATH */
export const requireProgram = async (program: RequiredProgram): Promise<string> => {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  const files = folders.map((folder) => path.join(folder, program));
  const found = await Promise.allSettled(files.map((file) => access(file, constants.X_OK)));
  const file = files[found.findIndex(({ status }) => status === 'fulfilled')];
  if (file !== undefined) return file;
  throw new Error(`${program} is not in PATH: apt-get install -y ${PACKAGES[program]}`);
};
