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
    const deltas = run(tasks, digests, request, { signal, options });
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

  choices: (request, signal) => run(tasks, digests, request, { signal, options }),
});

async function* run(
  tasks: Tasks,
  digests: FileDigests,
  request: TextRequest,
  { signal, options }: { readonly signal: AbortSignal; readonly options: TaskOptions },
): AsyncGenerator<TextDelta, TextEnd> {
  const task = tasks.seesLocalFiles ? request : await portable(request, digests);
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
  { modelFile, adapter, ...asked }: TextRequest,
  { modelSha256, adapterSha256 }: FileDigests,
): Promise<TextTask> => ({
  ...asked,
  modelSha256: await modelSha256(modelFile),
  ...(adapter && {
    adapter: { sha256: await adapterSha256(adapter.file), scale: adapter.scale },
  }),
});

/** Only a prompt makes a task of text too large. */
const asTextError = (error: unknown): unknown => {
  if (!(error instanceof TaskError) || error.code !== 'task_too_large') return error;
  const message = 'the prompt is too long for a message to a worker';
  return new TaskError('prompt_too_long', message, { cause: error });
};
