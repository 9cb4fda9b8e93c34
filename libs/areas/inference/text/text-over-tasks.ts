import { TaskError } from '#platform/tasks/task.error.js';
import { type TaskOptions, type Tasks } from '#platform/tasks/tasks.port.js';
import { type TextRequest } from '../rigs/embedded-request.js';
import { type TextEngine } from '../rigs/embedded-rig.js';
import { type TextDelta } from '../rigs/text-delta.js';
import { type FileDigests, fileDigests, textEngine } from './text.engine.js';
import { isRich, type TextEnd, type TextPiece, type TextTask } from './text-task.js';

const NOTHING: TextEnd = { promptTokens: 0, completionTokens: 0, finishReason: 'stop' };

/**
 * The engine of embedded rigs: each request is a task of the text engine.
 * @param options of every task
 */
export const createTextEngine = (
  tasks: Tasks,
  digests: FileDigests = fileDigests(),
  options: TaskOptions = {},
): TextEngine => ({
  async *stream(request, signal) {
    const deltas = run({ tasks, digests, options }, request, signal);
    try {
      let next = await deltas.next();
      for (; !next.done; next = await deltas.next()) {
        if (next.value.text !== '') yield next.value.text;
      }
      return next.value;
    } finally {
      await deltas.return(NOTHING);
    }
  },

  choices: (request, signal) => run({ tasks, digests, options }, request, signal),
});

/** Who runs the tasks, and how. */
interface TextHost {
  readonly tasks: Tasks;
  readonly digests: FileDigests;
  readonly options: TaskOptions;
}

async function* run(
  { tasks, digests, options }: TextHost,
  request: TextRequest,
  signal: AbortSignal,
): AsyncGenerator<TextDelta, TextEnd> {
  const task = tasks.seesLocalFiles ? here(request) : await portable(request, { tasks, digests });
  const pieces = tasks.run(textEngine, task, signal, options);
  let used = NOTHING;
  let isOpen = true;
  try {
    let next = await pieces.next();
    for (; !next.done; next = await pieces.next()) {
      const { delta, completionTokens, promptTokens = used.promptTokens } = readPiece(next.value);
      used = { promptTokens, completionTokens, finishReason: 'stop' };
      yield delta;
    }
    isOpen = false;
    const end = next.value ?? used;
    if (next.value !== null && !isRich(request)) {
      yield { choice: 0, text: '', finishReason: end.finishReason };
    }
    return end;
  } catch (error) {
    isOpen = false;
    throw asTextError(error);
  } finally {
    if (isOpen) await pieces.return(null);
  }
}

interface ReadPiece {
  readonly delta: TextDelta;
  readonly completionTokens: number;
  readonly promptTokens?: number;
}

const readPiece = (piece: TextPiece): ReadPiece => {
  if ('choice' in piece) {
    const { completionTokens, promptTokens, ...delta } = piece;
    return { delta, completionTokens, promptTokens };
  }
  const [text, completionTokens, promptTokens] = piece;
  const delta = { choice: 0, text };
  return { delta, completionTokens, ...(promptTokens !== undefined && { promptTokens }) };
};

/** Another machine has the files at other paths. */
const portable = async (
  { modelFile, lendsModel = false, adapter, ...asked }: TextRequest,
  { tasks, digests }: Pick<TextHost, 'tasks' | 'digests'>,
): Promise<TextTask> => {
  const modelSha256 = await digests.modelSha256(modelFile);
  const model = {
    modelSha256,
    ...(lendsModel && {
      modelLender: await tasks.lend({ sha256: modelSha256, file: modelFile }),
    }),
  };
  if (!adapter) return { ...asked, ...model };
  const { file, scale } = adapter;
  const sha256 = await digests.adapterSha256(file);
  const lender = await tasks.lend({ sha256, file });
  return { ...asked, ...model, adapter: { sha256, scale, lender } };
};

const here = ({ lendsModel: _, ...task }: TextRequest): TextTask => task;

/** Only a prompt makes a task of text too large. */
const asTextError = (error: unknown): unknown => {
  if (!(error instanceof TaskError) || error.code !== 'task_too_large') return error;
  const message = 'the prompt is too long for a message to a worker';
  return new TaskError('prompt_too_long', message, { cause: error });
};
