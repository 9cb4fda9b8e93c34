/** Runs the programs in Python that train and evaluate; a file is the order of each. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

export type FamilyProgram = 'train.py' | 'evaluate.py';

const FOLDER = 'tools/models/family';

/** Runs one with the file of its order, from the root of the repository. */
export const runPython = async (
  python: string,
  program: FamilyProgram,
  orderFile: string,
): Promise<void> => {
  const child = spawn(python, [`${FOLDER}/${program}`, orderFile], { stdio: 'inherit' });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  if (code !== 0) throw new Error(`${python} ${program} ended with ${code ?? signal}`);
};
