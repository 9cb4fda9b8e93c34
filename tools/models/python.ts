/** Runs the programs in Python that train and evaluate. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Runs a program of this repository, from its root.
 * @throws Error when it fails
 */
export const runPython = async (
  python: string,
  program: string,
  parameters: readonly string[],
): Promise<void> => {
  const child = spawn(python, [program, ...parameters], { stdio: 'inherit' });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  if (code !== 0) throw new Error(`${python} ${program} ended with ${code ?? signal}`);
};
