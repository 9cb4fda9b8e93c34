import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type FilePurpose } from '#events/files/file.events.js';
import { type UserId } from '#events/vocabulary.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { FileStorage } from './file-storage.js';
import { FileStore, type NewFile, type StagedContent, type StoredFile } from './file-store.js';
import { reject } from './files.errors.js';

/** A part of a form, in the order of the form; the content must be read before the next part. */
export type UploadPart =
  | { readonly kind: 'field'; readonly name: string; readonly value: string }
  | {
      readonly kind: 'file';
      readonly name: string;
      readonly filename: string;
      readonly content: AsyncIterable<Uint8Array>;
    };

/** Stores the file of a form. Its fields may come before the file or after it. */
export class UploadFileCommand extends Command<StoredFile> {
  constructor(
    readonly owner: { readonly accountId: string; readonly userId: UserId },
    readonly parts: AsyncIterable<UploadPart>,
    readonly context: CommandContext,
  ) {
    super();
  }
}

export const NAME_LENGTH_MAX = 255;
/** An hour to 30 days, as OpenAI has it. */
export const EXPIRES_AFTER_SECONDS = { min: 3_600, max: 2_592_000 } as const;
/** Files for batches expire after 30 days unless the form says otherwise; others do not expire. */
const BATCH_EXPIRES_AFTER_SECONDS = 2_592_000;

@CommandHandler(UploadFileCommand)
export class UploadFileHandler implements ICommandHandler<UploadFileCommand> {
  constructor(
    private readonly files: FileStore,
    private readonly storage: FileStorage,
  ) {}

  async execute({ owner, parts, context }: UploadFileCommand): Promise<StoredFile> {
    const bytesLeft = await this.storage.left(owner.accountId);
    const fields = new Map<string, string>();
    let staged: { readonly name: string; readonly content: StagedContent } | undefined;
    for await (const part of parts) {
      if (part.kind === 'field') fields.set(part.name, part.value);
      else if (part.name !== 'file') await discard(part.content);
      else {
        if (staged) reject('file_missing', 'the form has more than one file');
        const name = nameOf(part.filename);
        const purpose = fields.has('purpose') ? purposeOf(fields) : undefined;
        const content = await this.files.stage(part.content, owner.userId, purpose, bytesLeft);
        staged = { name, content };
      }
    }
    const purpose = purposeOf(fields);
    const expiresAfterSeconds = expiryOf(fields, purpose);
    if (!staged) return reject('file_missing', 'the form has no file');
    const { name, content } = staged;
    const file: NewFile = { accountId: owner.accountId, purpose, name, expiresAfterSeconds };
    return this.files.create(file, content, context);
  }
}

const discard = async (content: AsyncIterable<Uint8Array>): Promise<void> => {
  const pieces = content[Symbol.asyncIterator]();
  while (!(await pieces.next()).done);
};

const nameOf = (filename: string): string => {
  if (filename.length >= 1 && filename.length <= NAME_LENGTH_MAX) return filename;
  return reject('file_missing', `the file has a name of 1 to ${NAME_LENGTH_MAX} characters`);
};

/** The other purposes are of files that the gateway writes. */
const UPLOADED = [
  'assistants',
  'batch',
  'user_data',
  'fine-tune',
] as const satisfies readonly FilePurpose[];

const purposeOf = (fields: ReadonlyMap<string, string>): FilePurpose => {
  const purpose = UPLOADED.find((one) => one === fields.get('purpose'));
  return purpose ?? reject('invalid_purpose', `purpose is one of ${UPLOADED.join(', ')}`);
};

const expiryOf = (fields: ReadonlyMap<string, string>, purpose: FilePurpose): number | null => {
  const [anchor, text] = [
    fields.get('expires_after[anchor]'),
    fields.get('expires_after[seconds]'),
  ];
  if (anchor === undefined && text === undefined) {
    return purpose === 'batch' ? BATCH_EXPIRES_AFTER_SECONDS : null;
  }
  const seconds = /^\d{1,9}$/.test(text ?? '') ? Number(text) : NaN;
  const { min, max } = EXPIRES_AFTER_SECONDS;
  if (anchor === 'created_at' && seconds >= min && seconds <= max) return seconds;
  const detail = `expires_after has the anchor created_at, and seconds from ${min} to ${max}`;
  return reject('invalid_expires_after', detail);
};
