import {
  BatchFiles,
  type BatchInputFile,
  type BatchOutputFile,
} from '#areas/batches/batch-files.port.js';
import { type FileStore } from '#areas/files/file-store.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';

/** Null instead of the error for a file that does not exist, or no longer does. */
const unlessMissing = async <Found>(finding: Promise<Found>): Promise<Found | null> => {
  try {
    return await finding;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'file_not_found') return null;
    throw error;
  }
};

/** The files of batches are files of their account. */
export class StoredBatchFiles extends BatchFiles {
  constructor(private readonly files: FileStore) {
    super();
  }

  override async find(accountId: string, fileId: string): Promise<BatchInputFile | undefined> {
    const file = await unlessMissing(this.files.find(fileId, { accountId }));
    if (!file) return undefined;
    const { purpose, bytes } = file;
    return { purpose, bytes, content: () => this.files.open(file) };
  }

  override async create(
    { content, ...file }: BatchOutputFile,
    context: CommandContext,
  ): Promise<string | null> {
    const order = { ...file, purpose: 'batch_output' } as const;
    const staged = await this.files.stage(content, file.userId, order.purpose);
    const created = await unlessMissing(this.files.create(order, staged, context));
    return created?.fileId ?? null;
  }
}
