import { dirname, resolve } from 'node:path';
import {
  type Alias,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  LineCounter,
  type Node,
  parseDocument,
  Scalar,
  visit,
} from 'yaml';
import { type z } from 'zod';
import { RIG_KINDS } from '#events/rig-kinds.js';
import {
  type AwsIdentityEntry,
  type CatalogFile,
  type CatalogRig,
  type SecretSource,
} from './catalog-entry.js';
import { CatalogFileSchema } from './catalog-file.schema.js';
import { CatalogError, type CatalogProblem } from './catalog.error.js';

/** In characters; the largest catalog the schema admits is well below. */
const SOURCE_LENGTH_MAX = 4 * 1024 * 1024;
/** Alias expansions after which the file is treated as an attack. */
const ALIASES_MAX = 10_000;

type Path = readonly PropertyKey[];

/**
 * Reads a catalog. Paths of `file` entries are relative to the folder of the catalog itself.
 * @param file names the source in errors
 * @throws CatalogError with the place of every problem
 */
export const parseCatalog = (source: string, file: string): CatalogFile => {
  if (source.length > SOURCE_LENGTH_MAX) throw whole(file, `is longer than ${SOURCE_LENGTH_MAX}`);
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) {
    const problems = document.errors.map(({ pos, message }) => at(lines, pos[0], '', message));
    throw new CatalogError(file, problems);
  }
  if (document.contents === null) throw whole(file, 'is empty');
  keepAmountsAsWritten(document);
  const parsed = CatalogFileSchema.safeParse(toPlain(document, file), { error: plainMessage });
  if (!parsed.success) {
    const problems = parsed.error.issues.flatMap((issue) => problemsOf(issue, document, lines));
    throw new CatalogError(file, problems);
  }
  return inFolder(parsed.data, dirname(resolve(file)));
};

const inFolder = ({ models, rigs, ...rest }: CatalogFile, folder: string): CatalogFile => ({
  ...rest,
  rigs: rigs.map((rig) => withSecretsIn(rig, folder)),
  models: models.map((model) => ({
    ...model,
    file: model.file === null ? null : resolve(folder, model.file),
  })),
});

const withSecretsIn = (rig: CatalogRig, folder: string): CatalogRig => {
  if (rig.kind === 'embedded') return rig;
  const keys = rig.keys.map((key) => secretIn(key, folder));
  if (rig.kind === 'bedrock') {
    return { ...rig, keys, identities: rig.identities.map((one) => identityIn(one, folder)) };
  }
  if (rig.kind !== 'azure-openai' || rig.entra === null) return { ...rig, keys };
  const clientSecret = secretIn(rig.entra.clientSecret, folder);
  return { ...rig, keys, entra: { ...rig.entra, clientSecret } };
};

const identityIn = (identity: AwsIdentityEntry, folder: string): AwsIdentityEntry => {
  const { accessKeyId, secretAccessKey, sessionToken } = identity;
  return {
    accessKeyId: secretIn(accessKeyId, folder),
    secretAccessKey: secretIn(secretAccessKey, folder),
    sessionToken: sessionToken && secretIn(sessionToken, folder),
  };
};

const secretIn = (source: SecretSource, folder: string): SecretSource =>
  'file' in source ? { file: resolve(folder, source.file) } : source;

/** `0.1` must not become a float: fields in USD are passed as text. */
const keepAmountsAsWritten = (document: Document): void => {
  visit(document, {
    Pair: (_, pair) => {
      if (!isScalar(pair.key) || !/(^|_)usd(_|$)/.test(String(pair.key.value))) return;
      if (isAlias(pair.value)) pair.value = amountBehind(pair.value, document);
      const { value } = pair;
      if (isScalar(value) && typeof value.value === 'number') value.value = writtenAs(value);
    },
  });
};

/** A number that is an amount only here must stay a number at its anchor. */
const amountBehind = (alias: Alias, document: Document): Node => {
  const target = alias.resolve(document);
  if (!isScalar(target)) return alias;
  const amount = new Scalar(typeof target.value === 'number' ? writtenAs(target) : target.value);
  if (alias.range) amount.range = alias.range;
  return amount;
};

const writtenAs = ({ source, value }: Scalar): string => source ?? String(value);

const toPlain = (document: Document, file: string): unknown => {
  try {
    return document.toJS({ maxAliasCount: ALIASES_MAX });
  } catch (error) {
    throw whole(file, error instanceof Error ? error.message : String(error));
  }
};

/** Zod's messages for these two cases describe types, not the mistake. */
const plainMessage = (issue: z.core.$ZodRawIssue): string | undefined => {
  if (issue.input === undefined && issue.code === 'invalid_type') return 'is missing';
  if (issue.code === 'invalid_union') return `must be ${RIG_KINDS.join(' or ')}`;
  return undefined;
};

const problemsOf = (
  issue: z.core.$ZodIssue,
  document: Document,
  lines: LineCounter,
): readonly CatalogProblem[] => {
  if (issue.code !== 'unrecognized_keys') {
    const offset = offsetOf(document, issue.path);
    return [at(lines, offset, pathOf(issue.path), issue.message)];
  }
  return issue.keys.map((key) => {
    const path = [...issue.path, key];
    return at(lines, offsetOf(document, path, 'key'), pathOf(path), 'is not a field of a catalog');
  });
};

const at = (lines: LineCounter, offset: number, path: string, message: string): CatalogProblem => {
  const { line, col } = lines.linePos(offset);
  return { path, line, column: col, message };
};

const whole = (file: string, message: string): CatalogError =>
  new CatalogError(file, [{ path: '', line: 1, column: 1, message }]);

const pathOf = (path: Path): string =>
  path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '');

/** The place of the value or its key; for a missing one, of its parent. */
const offsetOf = (document: Document, path: Path, part: 'key' | 'value' = 'value'): number => {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const [index, step] of path.entries()) {
    const collection: unknown = isAlias(node) ? node.resolve(document) : node;
    if (!isCollection(collection)) return offset;
    const item = isMap(collection)
      ? collection.items.find(({ key }) => isScalar(key) && String(key.value) === String(step))
      : collection.items[Number(step)];
    const wantsKey = part === 'key' && index === path.length - 1;
    node = isPair(item) && !wantsKey ? item.value : isPair(item) ? item.key : item;
    offset = startOf(node) ?? offset;
  }
  return offset;
};

const startOf = (node: unknown): number | undefined =>
  isNode(node) ? (node satisfies Node).range?.[0] : undefined;
