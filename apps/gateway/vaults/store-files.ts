import { Injectable } from '@nestjs/common';
import { FileStore } from '#areas/files/file-store.js';
import { TEXT_LENGTH_MAX } from '#areas/vaults/chunks.js';
import { reject, type VaultErrorCode } from '#areas/vaults/vaults.errors.js';
import { DomainError } from '#platform/kernel/domain-error.js';

/** The most bytes of a UTF-16 code unit in UTF-8. */
const UNIT_BYTES = 3;

export interface FileText {
  readonly name: string;
  readonly text: string;
}

/** Reads the texts of files for vector stores. */
@Injectable()
export class StoreFiles {
  constructor(private readonly files: FileStore) {}

  /** @throws DomainError `file_not_found`, `vector_store_file_unsuitable` */
  async read(fileId: string, accountId: string): Promise<FileText> {
    const file = await this.files.find(fileId, { accountId });
    if (file.bytes > TEXT_LENGTH_MAX * UNIT_BYTES) return tooLong();
    const bytes = Buffer.concat(await Array.fromAsync(await this.files.open(file)));
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      return text.length > TEXT_LENGTH_MAX ? tooLong() : { name: file.name, text };
    } catch (error) {
      if (error instanceof DomainError) throw error;
      const detail = 'file_id: expected a file of text in UTF-8; other formats are not read';
      return reject('vector_store_file_unsuitable', detail);
    }
  }
}

const tooLong = (): never => {
  const detail = `file_id: expected a file of at most ${TEXT_LENGTH_MAX} characters`;
  return reject('vector_store_file_unsuitable', detail);
};

const WORDS: Readonly<Partial<Record<VaultErrorCode, readonly [VaultErrorCode, string]>>> = {
  vault_not_found: [
    'vector_store_not_found',
    'vector_store_id: there is no such vector store of the account',
  ],
  vault_document_not_found: [
    'vector_store_file_not_found',
    'file_id: there is no such file in the vector store',
  ],
  vault_text_empty: [
    'vector_store_file_unsuitable',
    'file_id: expected a file with letters or digits',
  ],
  vault_document_too_large: [
    'vector_store_file_unsuitable',
    'file_id: expected a file of fewer chunks; raise max_chunk_size_tokens',
  ],
};

/** Gives errors of vaults the fields of vector stores. */
export const inStore = async <Result>(work: Promise<Result>): Promise<Result> => {
  try {
    return await work;
  } catch (error) {
    const words = error instanceof DomainError ? WORDS[error.code as VaultErrorCode] : undefined;
    if (!words) throw error;
    return reject(...words);
  }
};
