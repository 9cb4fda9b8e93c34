/** Measures the enclave process. Erasable syntax, as `hpke.ts`. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { SUITE_NAME } from '#engines/enclave/hpke.js';
import type { Measurement } from '#engines/enclave/enclave.protocol.js';

/** The rules of the process. A change of them is another measurement, and another key. */
const POLICY = {
  suite: SUITE_NAME,
  prompts: 'opened in this process only',
  replies: 'sealed before they leave this process',
  logs: 'none',
} as const;

/**
 * The build, the policy and the configuration, in this order.
 * @param entry a file in `libs/engines/enclave` of the running build
 */
export const measureSelf = async (
  entry: string,
  modelFile: string | null,
): Promise<readonly Measurement[]> => {
  const policy = createHash('sha256').update(JSON.stringify(POLICY)).digest('hex');
  return [
    {
      subject: 'build',
      name: `node ${process.version}`,
      sha256: await fileSha256(process.execPath),
    },
    ...(await buildOf(entry)),
    { subject: 'policy', name: `policy: ${JSON.stringify(POLICY)}`.slice(0, 200), sha256: policy },
    modelFile === null
      ? { subject: 'configuration', name: 'no model', sha256: '0'.repeat(64) }
      : {
          subject: 'configuration',
          name: `model ${path.basename(modelFile)}`.slice(0, 200),
          sha256: await fileSha256(modelFile),
        },
  ];
};

/**
 * One digest of all programs of the build, as `sha256sum` lists them in the order of their paths,
 * and one of the lock file, which pins the packages.
 */
const buildOf = async (entry: string): Promise<readonly Measurement[]> => {
  const root = path.resolve(path.dirname(entry), '../../..');
  const isBundle = path.basename(root) === 'bundle';
  const folder = isBundle ? root : path.join(root, 'libs/engines');
  const extension = path.extname(entry);
  const names = await readdir(folder, { recursive: true });
  const programs = names
    .filter((name) => name.endsWith(extension) && !/\.(spec|fixture)\./.test(name))
    .map((name) => name.split(path.sep).join('/'))
    .sort();
  const list = createHash('sha256');
  for (const name of programs) {
    list.update(`${await fileSha256(path.join(folder, name))}  ${name}\n`);
  }
  const programsOf = isBundle ? 'bundle' : 'libs/engines';
  const measured: Measurement = {
    subject: 'build',
    name: `sha256sum of the ${programs.length} *${extension} files of ${programsOf}`,
    sha256: list.digest('hex'),
  };
  const lock = path.join(
    isBundle || path.basename(root) === 'dist' ? path.dirname(root) : root,
    'package-lock.json',
  );
  const packages = await fileSha256(lock).catch(() => null);
  if (packages === null) return [measured];
  return [measured, { subject: 'build', name: 'package-lock.json', sha256: packages }];
};

const fileSha256 = async (file: string): Promise<string> => {
  const digest = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: 1_048_576 }), digest);
  return digest.digest('hex');
};
