import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stringify } from 'yaml';
import {
  RUNTIME_CONFIGURATION,
  type RuntimeConfiguration,
} from '#areas/packages/archive/content.js';
import { piecesOf } from '#areas/packages/verification/tar-reader.js';
import { type PackageReport } from '#areas/packages/verification/verify-package.js';
import { createFolder } from '#platform/files/create-folder.js';
import { CommandFailure, usage } from '../command-failure.js';
import { EXIT } from '../exit-code.js';
import { type Invocation, type Outcome } from '../invocation.js';
import { verified, type VerifyPackageOptions } from './verify-package.js';

export interface RunPackageOptions extends VerifyPackageOptions {
  readonly prompt?: string;
  readonly maxTokens?: number;
  readonly port: number;
  readonly home?: string;
}

/** The process that serves, seen from the compiled file. */
const STANDALONE = path.resolve(import.meta.dirname, '../../processes/standalone.main.js');

type Model = RuntimeConfiguration['model'];

/** Serves the model from the files of the package alone; the catalog has no other model. */
export const runPackage = async (
  options: RunPackageOptions,
  invocation: Invocation,
): Promise<Outcome | undefined> => {
  const report = await verified(options);
  const folder = options.home ?? (await mkdtemp(path.join(tmpdir(), 'quipu-package-')));
  try {
    await createFolder(folder);
    const model = await extract(options.file, report, folder);
    const { prompt } = options;
    if (prompt !== undefined)
      return await answer(model, folder, { ...options, prompt }, invocation);
    await serve(model, folder, options.port, invocation);
    return undefined;
  } finally {
    if (options.home === undefined) await rm(folder, { recursive: true, force: true });
  }
};

/** Writes the weights and the configuration, which are verified. */
const extract = async (
  file: string,
  { content }: PackageReport,
  folder: string,
): Promise<Model> => {
  const source = await open(file);
  try {
    for (const place of content) {
      await writeFile(path.join(folder, place.name), piecesOf(source, place));
    }
  } finally {
    await source.close();
  }
  const text = await readFile(path.join(folder, RUNTIME_CONFIGURATION), 'utf8');
  return (JSON.parse(text) as RuntimeConfiguration).model;
};

const answer = async (
  model: Model,
  folder: string,
  { prompt, maxTokens }: { readonly prompt: string; readonly maxTokens?: number },
  { signal }: Invocation,
): Promise<Outcome> => {
  if (model.kind !== 'chat') throw usage(`--prompt: ${model.id} makes embeddings, and no answers`);
  const { createLanguageModelEngine } =
    await import('#engines/language-model/language-model.engine.js');
  const engine = createLanguageModelEngine();
  try {
    const request = {
      modelFile: path.resolve(folder, model.file),
      messages: [{ role: 'user' as const, content: prompt }],
      maxTokens: maxTokens ?? model.max_output_tokens,
      temperature: 0,
    };
    const deltas = await Array.fromAsync(engine.stream(request, signal));
    const text = deltas.join('');
    return { json: { model: model.id, text }, text };
  } finally {
    await engine.close();
  }
};

/** The catalog of the package: its model, free of charge. */
const catalogOf = (model: Model): string =>
  stringify({
    rigs: [{ name: 'package', kind: 'embedded' }],
    models: [
      {
        id: model.id,
        kind: model.kind,
        owned_by: 'package',
        rigs: ['package'],
        file: model.file,
        context: model.context_tokens,
        ...(model.kind === 'chat' && { max_output: model.max_output_tokens }),
        ...(model.dimensions !== null && { dimensions: model.dimensions }),
        price: {
          input_usd_per_mtok: 0,
          ...(model.kind === 'chat' && { output_usd_per_mtok: 0 }),
        },
      },
    ],
  });

const serve = async (
  model: Model,
  folder: string,
  port: number,
  { environment, signal }: Invocation,
): Promise<void> => {
  const catalog = path.resolve(folder, 'catalog.yaml');
  await writeFile(catalog, catalogOf(model));
  const child = spawn(process.execPath, ['--enable-source-maps', STANDALONE], {
    env: {
      PATH: environment['PATH'],
      QUIPU_HOME: path.resolve(folder, 'home'),
      QUIPU_CATALOG: catalog,
      HOST: '127.0.0.1',
      PORT: String(port),
    },
    stdio: 'inherit',
  });
  const stop = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  const [code] = (await once(child, 'exit')) as [number | null];
  signal.removeEventListener('abort', stop);
  if (code === 0 || signal.aborted) return;
  throw new CommandFailure('package_not_served', 'the server has ended; see its log', EXIT.failed);
};
