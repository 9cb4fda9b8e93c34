import { Inject, Injectable } from '@nestjs/common';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { CLOCK, PROJECTIONS } from '#platform/runtime/tokens.js';
import { storedBytes } from '#projections/files/stored-bytes.projection.js';
import { reject } from './files.errors.js';
import { FILE_SETTINGS, type FileSettings } from './files.settings.js';
import { FurtherStorage } from './further-storage.port.js';

export const FILES_MAX = 10_000;

/**
 * How much an account may upload. The content of a deleted file stays for a day, so an account
 * uploads no more on a day than it may have.
 */
@Injectable()
export class FileStorage {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'get'>,
    @Inject(FILE_SETTINGS) private readonly settings: FileSettings,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly further: FurtherStorage,
  ) {}

  /**
   * The bytes that the account may still upload now. Uploads at the same time are not counted.
   * @throws DomainError `file_storage_full`
   */
  async left(accountId: string): Promise<number> {
    const { accountBytesMax } = this.settings;
    const found = await this.projections.get(storedBytes, accountId);
    const document = found.document ?? storedBytes.initial(accountId);
    const { files, day, bytesOfDay } = document;
    const bytes = document.bytes + this.further.bytesOf(accountId);
    if (files >= FILES_MAX) {
      return reject('file_storage_full', `the account has ${FILES_MAX} files; delete some first`);
    }
    const today = instant(this.clock).slice(0, 10);
    const left = accountBytesMax - Math.max(bytes, day === today ? bytesOfDay : 0);
    if (left > 0) return left;
    const detail = `files and models of ${accountBytesMax} bytes are stored, or were on this day`;
    return reject('file_storage_full', detail);
  }
}
