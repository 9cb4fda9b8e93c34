import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';

/** PyTorch with the same weights: `test/oracles/FOLDER/record.py speed`. */
export const torchPeer = (python: string, folder: string) => {
  const script = path.resolve('test/oracles', folder, 'record.py');
  const child = spawn(python, [script, 'speed'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    /** The CPU seconds of a task of a size. */
    seconds: async (size: number): Promise<number> => {
      child.stdin.write(`${size}\n`);
      const line = await answers.next();
      if (line.done === true) throw new Error('PyTorch ended before it answered');
      return Number(line.value);
    },
    close: () => child.stdin.end(),
  };
};

export const cpuSecondsOf = (work: () => unknown): number => {
  const since = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1e6;
};
