import { type QueryBus } from '@nestjs/cqrs';
import { type FileStore } from '#areas/files/file-store.js';
import { ObservationSources } from '#areas/observation/observation-sources.port.js';
import { StationsQuery } from '#areas/orbit/list.queries.js';
import { readAccountFile } from '../account-file.js';

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
    const read = await readAccountFile(this.files, accountId, fileId, bytesMax);
    return read === null || read === 'too_large' ? read : new Uint8Array(read);
  }

  override async defaultStation(): Promise<string> {
    const { builtIn } = await this.queries.execute(new StationsQuery(1, 1));
    const [first] = builtIn;
    if (!first) throw new Error('no ground station ships with Quipu');
    return first.name;
  }
}
