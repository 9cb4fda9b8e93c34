import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** The root of this repository. */
export const HOUSE = path.resolve(import.meta.dirname, '../..');

const RULES_OF_THE_HOUSE = [
  '.dependency-cruiser.cjs',
  'eslint.config.mjs',
  'package.json',
  'tsconfig.json',
];

const OUTPUT_BYTES_MAX = 256 * 1_024 * 1_024;

/** A folder with the rules and the packages of this repository, and none of its sources. */
export interface PlantedHouse {
  readonly folder: string;
  remove(): Promise<void>;
}

/**
 * @param sources by path; imports and all
 * @param links folders of this repository that the planted sources may import
 */
export const plantHouse = async (
  sources: Readonly<Record<string, string>>,
  links: readonly string[] = [],
): Promise<PlantedHouse> => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'planted-house-'));
  await symlink(path.join(HOUSE, 'node_modules'), path.join(folder, 'node_modules'));
  await Promise.all(
    RULES_OF_THE_HOUSE.map((file) => cp(path.join(HOUSE, file), path.join(folder, file))),
  );
  await Promise.all(
    links.map(async (linked) => {
      await mkdir(path.dirname(path.join(folder, linked)), { recursive: true });
      await symlink(path.join(HOUSE, linked), path.join(folder, linked));
    }),
  );
  await Promise.all(
    Object.entries(sources).map(async ([file, source]) => {
      const planted = path.join(folder, file);
      await mkdir(path.dirname(planted), { recursive: true });
      await writeFile(planted, `${source}\n`);
    }),
  );
  return { folder, remove: () => rm(folder, { recursive: true }) };
};

/**
 * The output of a tool of `node_modules` in a folder. An exit status above 0 is no failure, since
 * these tools use it for findings; the test itself notices useless output.
 */
export const outputOf = (folder: string, tool: string, args: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const script = path.join(HOUSE, 'node_modules', tool);
    const options = { cwd: folder, maxBuffer: OUTPUT_BYTES_MAX };
    execFile(process.execPath, [script, ...args], options, (error, stdout, stderr) => {
      if (error && stdout === '') reject(new Error(stderr, { cause: error }));
      else resolve(stdout);
    });
  });
