import { z } from 'zod';
import { SPECULATIVE_FAILURES } from '#engines/speculative/speculative.engine.errors.js';
import { defineEngine, type EngineDefinition } from '#platform/tasks/engine.js';

const ModelFile = z.union([
  /** Lower-case hex of the GGUF file: a worker finds its own copy by it. */
  z.strictObject({ sha256: z.string().regex(/^[\da-f]{64}$/) }),
  /** Absolute path of a GGUF file, where the process that asks runs the pair itself. */
  z.strictObject({ path: z.string() }),
]);
export type SpeculativeModelFile = z.infer<typeof ModelFile>;

export const SpeculativeTask = z.strictObject({
  target: ModelFile,
  draft: ModelFile,
  messages: z
    .array(z.strictObject({ role: z.enum(['system', 'user', 'assistant']), content: z.string() }))
    .readonly(),
  maxTokens: z.int().positive(),
  temperature: z.number(),
  topP: z.number().exactOptional(),
  stop: z.array(z.string()).readonly().exactOptional(),
  seed: z.number().exactOptional(),
  draftTokensMax: z.int().positive(),
});
export type SpeculativeTask = z.infer<typeof SpeculativeTask>;

/** Text with the tokens generated up to its end; the first piece adds the tokens of the prompt. */
export const SpeculativePiece = z.union([
  z.tuple([z.string(), z.int()]),
  z.tuple([z.string(), z.int(), z.int()]),
]);
export type SpeculativePiece = z.infer<typeof SpeculativePiece>;

const Count = z.int().nonnegative();

export const SpeculativeTaskEnd = z.strictObject({
  promptTokens: Count,
  completionTokens: Count,
  finishReason: z.enum(['stop', 'length']),
  /** Null where nothing was decoded. */
  counts: z
    .strictObject({
      draftTokens: Count,
      acceptedTokens: Count,
      targetCalls: Count,
      plainCalls: Count,
      targetEvaluatedTokens: Count,
      draftEvaluatedTokens: Count,
    })
    .nullable(),
  /** Of earlier requests to the pair; null before the first comparison. */
  comparison: z.strictObject({ speedup: z.number(), requests: Count }).nullable(),
});
export type SpeculativeTaskEnd = z.infer<typeof SpeculativeTaskEnd>;

/** Pairs of GGUF models, decoded by llama.cpp. */
export const speculativeEngine: EngineDefinition<
  SpeculativeTask,
  SpeculativePiece,
  SpeculativeTaskEnd
> = defineEngine({
  name: 'speculative',
  input: SpeculativeTask,
  piece: SpeculativePiece,
  end: SpeculativeTaskEnd,
  tasksMax: { worker: 16, inProcess: 34 },
  failures: SPECULATIVE_FAILURES,
  canRunHere: async () => {
    const { missingPackage } = await import('#engines/language-model/native-package.js');
    return missingPackage();
  },
  open: async ({ modelFolders }) => {
    const { SpeculativeEngine } = await import('#engines/speculative/speculative.engine.js');
    const { modelFileOf } = await import('#engines/language-model/model-folders.js');
    const files = await describedFiles();
    const engine = new SpeculativeEngine();
    const pathOf = (file: SpeculativeModelFile): string | Promise<string> =>
      'path' in file
        ? file.path
        : modelFileOf(file.sha256, modelFolders, (one) => files.describe(one));
    return {
      async *run({ target, draft, ...asked }, signal) {
        const pair = { targetFile: await pathOf(target), draftFile: await pathOf(draft) };
        let [completionTokens, promptTokens, isFirst] = [0, 0, true];
        const texts = engine.stream({ ...asked, ...pair }, signal, (used) => {
          ({ completionTokens, promptTokens } = used);
        });
        for (;;) {
          const next = await texts.next();
          if (next.done) return next.value;
          yield isFirst
            ? [next.value, completionTokens, promptTokens]
            : [next.value, completionTokens];
          isFirst = false;
        }
      },
      status: () => ({ ready: true, reasons: [], facts: {} }),
      close: () => engine.close(),
    };
  },
});

/** The digest of a model file, which is read once and again when it has changed. */
export const digestOf = async (file: string): Promise<string> => {
  const files = await describedFiles();
  return (await files.describe(file)).sha256;
};

const loadFiles = async () => {
  const { DescribedFiles } = await import('#engines/language-model/described-files.js');
  const { describeModelFile, fileVersionOf } =
    await import('#engines/language-model/model-files.js');
  return new DescribedFiles(fileVersionOf, describeModelFile);
};

let files: ReturnType<typeof loadFiles> | undefined;

/** The model files of this machine, for all engines of the process. */
const describedFiles = (): ReturnType<typeof loadFiles> => (files ??= loadFiles());
