import { type QueryBus } from '@nestjs/cqrs';
import { type FileStore } from '#areas/files/file-store.js';
import { ObservationSources } from '#areas/observation/observation-sources.port.js';
import { StationsQuery } from '#areas/orbit/list.queries.js';
import { DomainError } from '#platform/kernel/domain-error.js';

/** Images are files of their account; the default station is the one that ships with Quipu. */
export class FilesAndStations extends ObservationSources {
  /** @param files absent in a process without the area */
  constructor(
    private readonly files: FileStore | undefined,
    private readonly queries: QueryBus,
  ) {
    super();
  }

  override async file(accountId: string, fileId: string, bytesMax: number) {
    if (!this.files) return null;
    try {
      const file = await this.files.find(fileId, { accountId });
      if (file.bytes > bytesMax) return 'too_large';
      return new Uint8Array(Buffer.concat(await Array.fromAsync(await this.files.open(file))));
    } catch (error) {
      if (error instanceof DomainError && error.code === 'file_not_found') return null;
      throw error;
    }
  }

  override async defaultStation(): Promise<string> {
    const { builtIn } = await this.queries.execute(new StationsQuery(1, 1));
    const [first] = builtIn;
    if (!first) throw new Error('no ground station ships with Quipu');
    return first.name;
  }
}
