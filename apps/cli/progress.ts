import { type Screen } from './invocation.js';

/** Shows the progress of long work. */
export interface Progress {
  /** @param done at most `total`; both in the same unit */
  update(done: bigint, total: bigint): void;
  /** Removes the bar. Idempotent. */
  stop(): void;
}

const silent: Progress = { update: () => undefined, stop: () => undefined };

const FORMAT = '{title} [{bar}] {percentage}% | {value} of {total} | {eta_formatted} left';

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
