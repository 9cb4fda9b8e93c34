import { type Screen } from './invocation.js';

/** How far long work has come. */
export interface Progress {
  /** @param done at most `total`; both in the same unit */
  update(done: bigint, total: bigint): void;
  /** Takes the bar away; allowed twice. */
  stop(): void;
}

const silent: Progress = { update: () => undefined, stop: () => undefined };

const FORMAT = '{title} [{bar}] {percentage}% | {value} of {total} | {eta_formatted} left';

/** A bar on a terminal, nothing on a pipe or a file. */
export const openProgress = async (screen: Screen, title: string): Promise<Progress> => {
  if (screen.isTTY !== true) return silent;
  const { Presets, SingleBar } = await import('cli-progress');
  const options = { format: FORMAT, stream: screen, hideCursor: true, clearOnComplete: true };
  const bar = new SingleBar(options, Presets.shades_classic);
  // Of nothing, all would be done.
  bar.start(1, 0, { title });
  return {
    update: (done, total) => {
      bar.setTotal(Number(total));
      bar.update(Number(done));
    },
    stop: () => bar.stop(),
  };
};
