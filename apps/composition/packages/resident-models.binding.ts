import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { type CatalogModel, type CatalogRig } from '#areas/catalog/catalog-entry.js';
import { type CatalogStatus } from '#areas/catalog/catalog.js';
import { type PackageErrorCode } from '#areas/packages/packages.errors.js';
import { type ResidentModel, ResidentModels } from '#areas/packages/resident-models.port.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { nameOf, type OwnModel } from '#platform/own-models/own-model.decider.js';
import { type OwnModelFiles } from '#platform/own-models/own-model-files.js';
import { type OwnModels } from '#platform/own-models/own-models.js';

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

const GGUF = '.gguf';
const NO_HEADER: ReadonlyMap<string, unknown> = new Map();
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

/** The models of the accounts. */
export interface AccountModels {
  readonly models: Pick<OwnModels, 'find'>;
  readonly files: Pick<OwnModelFiles, 'pathOf'>;
}

/** The part of a model that its file does not tell. */
type Terms = Pick<
  ResidentModel,
  'modelId' | 'kind' | 'contextTokens' | 'maxOutputTokens' | 'dimensions' | 'isOwned'
>;

/** The models of the catalog whose files the embedded engine serves, and the account's own. */
export class InstalledModels extends ResidentModels {
  readonly #facts = new Map<string, FileFacts>();

  /**
   * @param apacheLicence the file of Quipu's licence, which is the licence of its models
   * @param catalog absent in a process without the area, as is `own`
   */
  constructor(
    private readonly apacheLicence: string,
    private readonly catalog: ServedModels | undefined,
    private readonly own: AccountModels | undefined,
  ) {
    super();
  }

  override async find(source: string, accountId: string): Promise<ResidentModel> {
    const own = this.own?.models.find(source, accountId);
    return own && this.own ? this.#owned(own, this.own.files) : this.#listed(source);
  }

  async #owned(model: OwnModel, files: AccountModels['files']): Promise<ResidentModel> {
    const { contextTokens, maxOutputTokens } = model;
    const terms = { modelId: nameOf(model), kind: 'chat', isOwned: true } as const;
    const file = await files.pathOf(model);
    return this.#read({ ...terms, contextTokens, maxOutputTokens, dimensions: null }, file, GGUF);
  }

  async #listed(source: string): Promise<ResidentModel> {
    const model = this.#modelOf(source);
    const { file, kind } = model;
    const embedded = this.catalog?.rigs().filter((rig) => rig.kind === 'embedded') ?? [];
    const isEmbedded = embedded.some(({ name }) => model.rigs.includes(name));
    if (file === null || !isEmbedded || kind === 'rerank' || kind === 'moderation') {
      return refuse('package_model_unsuitable', `Quipu does not hold the weights of ${model.id}`);
    }
    const { id: modelId, contextTokens, maxOutputTokens, dimensions } = model;
    const terms = { modelId, kind, contextTokens, maxOutputTokens, dimensions, isOwned: false };
    return this.#read(terms, file, path.extname(file));
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

  async #read(terms: Terms, file: string, extension: string): Promise<ResidentModel> {
    const { metadata, bytes } = await readHead(terms.modelId, file, extension === GGUF);
    return {
      ...terms,
      file,
      fileName: `model${extension}`,
      bytes,
      sha256: await this.#sha256Of(file),
      architecture: textIn(metadata, 'general.architecture'),
      card: await cardOf(terms.modelId, file, metadata),
      licence: await licenceOf(file, metadata, this.apacheLicence),
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

/** The header of a GGUF file, and the size of any file. */
const readHead = async (modelId: string, file: string, isGguf: boolean) => {
  const { readGgufHeader } = await import('#engines/language-model/gguf.header.js');
  try {
    const metadata = isGguf ? (await readGgufHeader(file)).metadata : NO_HEADER;
    return { metadata, bytes: (await stat(file)).size };
  } catch {
    return refuse('package_model_unsuitable', `the file of the model ${modelId} cannot be read`);
  }
};

const textIn = (metadata: ReadonlyMap<string, unknown>, key: string): string | null => {
  const value = metadata.get(key);
  return typeof value === 'string' ? value : null;
};

const stemOf = (file: string): string => file.slice(0, file.length - path.extname(file).length);

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
  apacheLicence: string,
): Promise<ResidentModel['licence']> => {
  const stated = textIn(metadata, 'general.license') ?? (await besideCard(file));
  const spdxId = SPDX_IDS.find((id) => id.toLowerCase() === stated?.toLowerCase()) ?? null;
  const beside = await textOf(`${stemOf(file)}.licence`, `${stemOf(file)}.license`);
  const text = beside ?? (spdxId === 'Apache-2.0' ? await readFile(apacheLicence, 'utf8') : null);
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
