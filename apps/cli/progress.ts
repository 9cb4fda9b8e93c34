import { stopIfInterrupted } from './command-failure.js';
import { type Invocation, type Screen } from './invocation.js';

/** Shows the progress of long work. */
export interface Progress {
  /** @param done at most `total`; both in the same unit */
  update(done: bigint, total: bigint): void;
  /** Removes the bar. Idempotent. */
  stop(): void;
}

const silent: Progress = { update: () => undefined, stop: () => undefined };

const FORMAT = '{title} [{bar}] {percentage}% | {value} of {total} | {eta_formatted} left';

/** Reports how much is done; it throws once the user has pressed Ctrl-C. */
export type OnProgress = (done: bigint, total: bigint) => void;

/**
 * Long work under a bar, which Ctrl-C stops between two of its steps.
 * @throws CommandFailure `interrupted`, and what the work throws
 */
export const withProgress = async <Result>(
  { stderr, signal }: Pick<Invocation, 'stderr' | 'signal'>,
  title: string,
  work: (onProgress: OnProgress) => Promise<Result>,
): Promise<Result> => {
  const progress = await openProgress(stderr, title);
  try {
    return await work((done, total) => {
      stopIfInterrupted(signal);
      // A busy server moves the end of the log.
      progress.update(done < total ? done : total, total);
    });
  } finally {
    progress.stop();
  }
};

/** Draws a bar on a terminal, and nothing on a pipe or in a file. */
export const openProgress = async (screen: Screen, title: string): Promise<Progress> => {
  if (screen.isTTY !== true) return silent;
  const { Presets, SingleBar } = await import('cli-progress');
  const options = { format: FORMAT, stream: screen, hideCursor: true, clearOnComplete: true };
  const bar = new SingleBar(options, Presets.shades_classic);
  // A total of zero would show 100%.
  bar.start(1, 0, { title });
  return {
    update: (done, total) => {
      bar.setTotal(Number(total));
      bar.update(Number(done));
    },
    stop: () => bar.stop(),
  };
};
