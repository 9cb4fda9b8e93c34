import { defineEngine } from '#platform/tasks/engine.js';
import { partsOf, pathOf } from '#platform/tasks/task-file.js';
import {
  TrainingEnd,
  type TrainingPiece as Piece,
  TrainingPiece,
  TrainingTask,
} from './training.task.js';

/** Trainings of one process at once: each keeps two processors busy. */
export const TRAININGS_PER_HOST_MAX = 1;

/** Between two reports of progress, which a fast training makes for each step. */
const PROGRESS_MS = 500;

/** Trains a model in a thread. A task that ends early is continued from its last checkpoint. */
export const trainingEngine = defineEngine<TrainingTask, Piece, TrainingEnd>({
  name: 'training',
  input: TrainingTask,
  piece: TrainingPiece,
  end: TrainingEnd,
  tasksMax: { worker: TRAININGS_PER_HOST_MAX, inProcess: TRAININGS_PER_HOST_MAX },
  failures: {
    model_unsupported: 'final',
    model_too_large: 'final',
    model_file_invalid: 'final',
    vocabulary_mismatch: 'final',
    text_unusable: 'final',
    loss_not_finite: 'final',
    checkpoint_unusable: 'final',
    crashed: 'elsewhere',
  },
  canRunHere: () => Promise.resolve(null),
  open: async ({ borrow }) => {
    const { runTraining } = await import('#engines/training/training.engine.js');
    return {
      async *run({ student, teacher, text, checkpoint, ...plan }, signal) {
        const task = {
          ...plan,
          student: await pathOf(student, borrow),
          teacher: teacher && (await pathOf(teacher, borrow)),
          text: await pathOf(text, borrow),
          checkpoint: checkpoint && (await pathOf(checkpoint, borrow)),
        };
        await using pieces = runTraining(task, signal);
        let reportedMs = 0;
        let next = await pieces.next();
        for (; !next.done; next = await pieces.next()) {
          const piece = next.value;
          if (piece.kind === 'checkpoint') {
            for (const part of partsOf(piece.content))
              yield { checkpoint: part, at: piece.progress };
          } else if (Date.now() - reportedMs >= PROGRESS_MS) {
            reportedMs = Date.now();
            const { kind: _, ...progress } = piece;
            yield { progress };
          }
        }
        const { weights, ...end } = next.value;
        for (const part of partsOf(weights)) yield { weights: part };
        return end;
      },
      status: () => ({ ready: true, reasons: [], facts: {} }),
      close: () => Promise.resolve(),
    };
  },
});
