import { getLlama, type Llama, LlamaLogLevel, type LlamaModel } from 'node-llama-cpp';
import { reasonOf, ReportedError } from '#engines/language-model/child/reported.error.js';

/** A complaint of llama.cpp is here this long after the exception that it belongs to. */
const COMPLAINT_MS = 10;

let starting: Promise<Llama> | undefined;
/** The last error message of llama.cpp, which says more than the exception it then causes. */
let complaint = '';

export const llama = (): Promise<Llama> => {
  starting ??= getLlama({
    gpu: 'auto',
    build: 'never',
    skipDownload: true,
    progressLogs: false,
    logLevel: LlamaLogLevel.error,
    logger: (_level, message) => (complaint = message.trim()),
  });
  return starting;
};

const invalidFile = (reason: string): Error =>
  new ReportedError({ code: 'model_file_invalid', reason });

/** @param failed the error that is thrown, by the reason why the file could not be loaded */
export const loadModel = async (modelPath: string, failed = invalidFile): Promise<LlamaModel> => {
  const runtime = await llama();
  complaint = '';
  try {
    return await runtime.loadModel({ modelPath });
  } catch (error) {
    throw failed(await whyFailed(error));
  }
};

/** The log comes after the exception, in a turn of its own. */
export const whyFailed = async (error: unknown): Promise<string> => {
  await new Promise((resolve) => setTimeout(resolve, COMPLAINT_MS));
  return [reasonOf(error), complaint].filter((text) => text !== '').join(': ');
};

/** Lets go of all models, if there is a runtime. */
export const disposeLlama = async (): Promise<void> => {
  if (starting !== undefined) await (await starting).dispose();
};
