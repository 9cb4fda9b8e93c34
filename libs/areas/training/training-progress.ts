import { TrainingProgress } from '#events/training/training.job.js';

interface ShownJob {
  readonly result: { readonly summary: unknown } | null;
  readonly progress: { readonly shown: unknown } | null;
}

/** The last progress that the job shows; null before the first one. */
export const progressIn = ({ result, progress }: ShownJob): TrainingProgress | null => {
  const shown = result?.summary ?? progress?.shown;
  return shown === undefined ? null : TrainingProgress.parse(shown);
};
