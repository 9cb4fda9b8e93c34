import { z } from 'zod';
import { type AttributeFilter, readFilter } from '#areas/vaults/attribute-filter.js';
import { ChunkRule } from '#areas/vaults/chunks.js';
import { BATCH_FILES_MAX, type FileToAttach } from '#areas/vaults/file-batches.js';
import { NAME_LENGTH_MAX } from '#areas/vaults/change-vault.handlers.js';
import { Attributes, Metadata } from '#areas/vaults/labels.js';
import { QUERY_LENGTH_MAX } from '#areas/vaults/vault-search.js';
import { FileId } from '#events/files/file.events.js';
import { rejectedFields } from '#platform/runtime/commands/rejected-request.js';

export const RESULTS_MAX = 50;
const RESULTS_DEFAULT = 10;

/** A field of a feature that is not here. */
const off = (why: string, ...values: readonly unknown[]) =>
  z
    .unknown()
    .refine((value) => value == null || values.includes(value), why)
    .optional();

const described = {
  name: z.string().min(1).max(NAME_LENGTH_MAX).nullish(),
  metadata: Metadata.nullish(),
  expires_after: off('is not supported: a vault stays until it is deleted'),
};

export const VectorStoreBody = z.strictObject({
  ...described,
  description: off('is not supported; use metadata'),
  file_ids: z
    .array(z.string())
    .max(0, 'is not supported: attach a batch of files, each is charged')
    .nullish(),
  chunking_strategy: off('is not supported: it is a field of each file'),
});

export const VectorStoreChangesBody = z.strictObject(described);

const ChunkingStrategy = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('auto') }),
  z.strictObject({ type: z.literal('static'), static: ChunkRule.unwrap() }),
]);

export const VectorStoreFileBody = z.strictObject({
  file_id: FileId,
  attributes: Attributes.nullish(),
  chunking_strategy: ChunkingStrategy.nullish(),
});

export const VectorStoreFileChangesBody = z.strictObject({ attributes: Attributes.nullable() });

export const VectorStoreFileBatchBody = z
  .strictObject({
    file_ids: z.array(FileId).min(1).max(BATCH_FILES_MAX).nullish(),
    files: z.array(VectorStoreFileBody).min(1).max(BATCH_FILES_MAX).nullish(),
    attributes: Attributes.nullish(),
    chunking_strategy: ChunkingStrategy.nullish(),
  })
  .superRefine(({ file_ids, files, attributes, chunking_strategy }, issues) => {
    const refuse = (field: string, message: string): void =>
      issues.addIssue({ code: 'custom', path: [field], message });
    if ((file_ids == null) === (files == null)) {
      refuse('file_ids', 'expected either file_ids or files');
    }
    if (files != null && attributes != null)
      refuse('attributes', 'is a field of each of the files');
    if (files != null && chunking_strategy != null) {
      refuse('chunking_strategy', 'is a field of each of the files');
    }
    const ids = file_ids ?? files?.map(({ file_id }) => file_id) ?? [];
    if (new Set(ids).size < ids.length) {
      refuse(file_ids == null ? 'files' : 'file_ids', 'expected each file once');
    }
  });

/** The file of a request, or the files of a batch. */
export const fileToAttach = ({
  file_id: fileId,
  attributes,
  chunking_strategy,
}: z.output<typeof VectorStoreFileBody>): FileToAttach => ({
  fileId,
  attributes: attributes ?? {},
  chunks: chunking_strategy?.type === 'static' ? chunking_strategy.static : null,
});

export const filesToAttach = ({
  file_ids,
  files,
  attributes,
  chunking_strategy,
}: z.output<typeof VectorStoreFileBatchBody>): readonly FileToAttach[] => {
  const shared = { attributes, chunking_strategy };
  return (files ?? file_ids?.map((file_id) => ({ file_id, ...shared })) ?? []).map(fileToAttach);
};

/** The fields that a search and the tool `file_search` share. */
export const SearchFields = z.strictObject({
  max_num_results: z.int().min(1).max(RESULTS_MAX).nullish(),
  ranking_options: z
    .strictObject({
      ranker: z.enum(['none', 'auto', 'default-2024-11-15', 'default_2024_08_21']).nullish(),
      score_threshold: z.number().min(0).max(1).nullish(),
    })
    .nullish(),
  filters: z.unknown().optional(),
});

export const VectorStoreSearchBody = SearchFields.extend({
  query: z.string({ error: 'expected a text; each search has one' }).max(QUERY_LENGTH_MAX),
  rewrite_query: off('is not supported', false),
});

/** @throws RejectedRequestError 400 that names the fields */
export const readBody = <Schema extends z.ZodType>(
  schema: Schema,
  sent: unknown,
  at = '',
): z.output<Schema> => {
  const read = schema.safeParse(sent ?? {});
  if (!read.success) throw rejectedFields(read.error, at);
  return read.data;
};

export interface SearchLimits {
  readonly top: number;
  readonly filter: AttributeFilter | undefined;
  readonly scoreLeast: number;
}

/** @throws RejectedRequestError 400 that names the field */
export const searchLimitsOf = (
  { max_num_results, ranking_options, filters }: z.output<typeof SearchFields>,
  at = 'filters',
): SearchLimits => ({
  top: max_num_results ?? RESULTS_DEFAULT,
  filter: filters == null ? undefined : readFilter(filters, at),
  scoreLeast: ranking_options?.score_threshold ?? -1,
});
