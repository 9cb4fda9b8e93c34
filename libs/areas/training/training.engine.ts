import { defineEngine, type EngineHost } from '#platform/tasks/engine.js';
import { TaskError } from '#platform/tasks/task.error.js';
import {
  type TaskFile,
  TrainingEnd,
  type TrainingPiece as Piece,
  TrainingPiece,
  TrainingTask,
} from './training.task.js';

/** Trainings of one process at once: each keeps two processors busy. */
export const TRAININGS_PER_HOST_MAX = 1;

/** Of content in one piece; base64 makes four thirds of it, and a piece has 700,000 bytes. */
const PART_BYTES = 480_000;

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
        const pathOf = filesOf(borrow);
        const task = {
          ...plan,
          student: await pathOf(student),
          teacher: teacher && (await pathOf(teacher)),
          text: await pathOf(text),
          checkpoint: checkpoint && (await pathOf(checkpoint)),
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

function* partsOf(content: Uint8Array): Generator<{ content: string; isLast: boolean }> {
  for (let at = 0; at < content.length; at += PART_BYTES) {
    const part = content.subarray(at, at + PART_BYTES);
    const isLast = at + PART_BYTES >= content.length;
    yield { content: Buffer.from(part).toString('base64'), isLast };
  }
}

const filesOf =
  (borrow: EngineHost['borrow']) =>
  (file: TaskFile): Promise<string> => {
    if ('file' in file) return Promise.resolve(file.file);
    if (borrow) return borrow(file);
    throw new TaskError('failed', 'this process cannot copy files of others');
  };
