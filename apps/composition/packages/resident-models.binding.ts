import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { type CatalogModel, type CatalogRig } from '#areas/catalog/catalog-entry.js';
import { type CatalogStatus } from '#areas/catalog/catalog.js';
import { type PackageErrorCode } from '#areas/packages/packages.errors.js';
import { type ResidentModel, ResidentModels } from '#areas/packages/resident-models.port.js';
import { DomainError } from '#platform/kernel/domain-error.js';

/** The part of a catalog that is needed. */
interface ServedModels {
  models(): readonly CatalogModel[];
  rigs(): readonly Pick<CatalogRig, 'name' | 'kind'>[];
  status(): Pick<CatalogStatus, 'file'>;
}

/** Facts of a file that hold as long as it does not change. */
interface FileFacts {
  readonly version: string;
  readonly sha256: string;
}

/** The licence of Quipu and of the models that ship with it, seen from the compiled file. */
const APACHE_2 = path.resolve(import.meta.dirname, '../../../../LICENSE');
const GGUF = '.gguf';
/** Identifiers of SPDX are compared without case. */
const SPDX_IDS = [
  'Apache-2.0',
  'MIT',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'MPL-2.0',
  'GPL-3.0-only',
  'AGPL-3.0-only',
  'CC-BY-4.0',
  'CC-BY-SA-4.0',
  'CC-BY-NC-4.0',
  'CC0-1.0',
  'Unlicense',
] as const;

/** The models of the catalog whose files the embedded engine serves. */
export class CatalogModels extends ResidentModels {
  readonly #facts = new Map<string, FileFacts>();

  /** @param catalog absent in a process without the area */
  constructor(private readonly catalog: ServedModels | undefined) {
    super();
  }

  override async find(source: string): Promise<ResidentModel> {
    const model = this.#modelOf(source);
    const { file } = model;
    const embedded = this.catalog?.rigs().filter(({ kind }) => kind === 'embedded') ?? [];
    if (file === null || !embedded.some(({ name }) => model.rigs.includes(name))) {
      return refuse('package_model_unsuitable', `Quipu does not hold the weights of ${model.id}`);
    }
    try {
      return await this.#read(model, file);
    } catch {
      return refuse('package_model_unsuitable', `the file of the model ${model.id} cannot be read`);
    }
  }

  /** A path names a model only where it is the file of one. */
  #modelOf(source: string): CatalogModel {
    const models = this.catalog?.models() ?? [];
    const byId = models.find(({ id }) => id === source);
    if (byId) return byId;
    const folder = path.dirname(this.catalog?.status().file ?? '.');
    const byFile = models.find(({ file }) => file === path.resolve(folder, source));
    return byFile ?? refuse('package_model_unknown', `no resident model is called ${source}`);
  }

  async #read(model: CatalogModel, file: string): Promise<ResidentModel> {
    const { readGgufHeader } = await import('#engines/language-model/gguf.header.js');
    const isGguf = file.endsWith(GGUF);
    const metadata = isGguf ? (await readGgufHeader(file)).metadata : new Map<string, unknown>();
    const { size } = await stat(file);
    return {
      modelId: model.id,
      kind: model.kind,
      file,
      fileName: `model${path.extname(file)}`,
      bytes: size,
      sha256: await this.#sha256Of(file),
      architecture: textIn(metadata, 'general.architecture'),
      contextTokens: model.contextTokens,
      maxOutputTokens: model.maxOutputTokens,
      dimensions: model.dimensions,
      card: await cardOf(model.id, file, metadata),
      licence: await licenceOf(file, metadata),
      isOwned: false,
    };
  }

  /** Reads a file once for each version of it. */
  async #sha256Of(file: string): Promise<string> {
    const { fileVersionOf, sha256Of } = await import('#engines/language-model/model-files.js');
    const version = await fileVersionOf(file);
    const known = this.#facts.get(file);
    if (known?.version === version) return known.sha256;
    const sha256 = await sha256Of(file);
    this.#facts.set(file, { version, sha256 });
    return sha256;
  }
}

const textIn = (metadata: ReadonlyMap<string, unknown>, key: string): string | null => {
  const value = metadata.get(key);
  return typeof value === 'string' ? value : null;
};

const stemOf = (file: string): string => file.slice(0, -path.extname(file).length);

/** The first file that is there. */
const textOf = async (...files: readonly string[]): Promise<string | null> => {
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch(() => null);
    if (text !== null) return text;
  }
  return null;
};

/** The card beside the file; where there is none, the facts of its header. */
const cardOf = async (
  modelId: string,
  file: string,
  metadata: ReadonlyMap<string, unknown>,
): Promise<string> => {
  const beside = await textOf(`${stemOf(file)}.md`, path.join(path.dirname(file), 'card.md'));
  if (beside !== null) return beside;
  const facts = [...metadata]
    .filter(([key, value]) => key.startsWith('general.') && typeof value !== 'object')
    .map(([key, value]) => `- ${key}: ${String(value)}\n`);
  const title = `# ${modelId}\n\nNo card is beside the file of the model. Its header says:`;
  return `${title}\n\n${facts.join('')}`;
};

const licenceOf = async (
  file: string,
  metadata: ReadonlyMap<string, unknown>,
): Promise<ResidentModel['licence']> => {
  const stated = textIn(metadata, 'general.license') ?? (await besideCard(file));
  const spdxId = SPDX_IDS.find((id) => id.toLowerCase() === stated?.toLowerCase()) ?? null;
  const beside = await textOf(`${stemOf(file)}.licence`, `${stemOf(file)}.license`);
  const text = beside ?? (spdxId === 'Apache-2.0' ? await readFile(APACHE_2, 'utf8') : null);
  return { spdxId, text: text ?? missingText(stated) };
};

/** The line of the card that states the licence, as the cards of this repository have it. */
const besideCard = async (file: string): Promise<string | null> => {
  const card = await textOf(path.join(path.dirname(file), 'card.md'));
  return /^- \*\*Licence\*\*: ([\w.-]*\w)/m.exec(card ?? '')?.[1] ?? null;
};

const missingText = (stated: string | null): string =>
  stated === null
    ? 'The file of the model states no licence, and no licence is beside it.\n'
    : `The file of the model states the licence ${stated}. Its text is not beside the file.\n`;

const refuse = (code: PackageErrorCode, detail: string): never => {
  throw new DomainError<PackageErrorCode>(code, detail);
};
