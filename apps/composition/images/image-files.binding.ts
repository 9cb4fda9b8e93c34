import { type FileStore } from '#areas/files/file-store.js';
import { ImageFiles, type NewImageFile, type StoredImageFile } from '#areas/images/ports.js';
import { inOnePiece } from '#platform/blobs/pieces.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type Reader } from '#platform/runtime/projections/reader.js';

const PURPOSE = 'image_output';
const NAME = 'picture.png';

/** The files of pictures are files of their account. */
export class StoredImageFiles extends ImageFiles {
  constructor(private readonly files: FileStore) {
    super();
  }

  override async create(
    { accountId, userId, content, expiresAfterSeconds }: NewImageFile,
    context: CommandContext,
  ): Promise<string> {
    const staged = await this.files.stage(inOnePiece(content), userId, PURPOSE);
    const file = { accountId, purpose: PURPOSE, name: NAME, expiresAfterSeconds } as const;
    return (await this.files.create(file, staged, context)).fileId;
  }

  override async find(id: string, reader: Reader): Promise<StoredImageFile | undefined> {
    try {
      const file = await this.files.find(id, reader);
      if (file.purpose !== PURPOSE) return undefined;
      const { bytes, expiresAt } = file;
      return { bytes, expiresAt, content: () => this.files.open(file) };
    } catch (error) {
      if (error instanceof DomainError && error.code === 'file_not_found') return undefined;
      throw error;
    }
  }
}
