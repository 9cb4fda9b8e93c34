import { StreamableFile } from '@nestjs/common';

/** The schema of a file, for the document of the API. */
export const FILE = { schema: { type: 'string', format: 'binary' } } as const;

export const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

/** A file that a browser saves under this name. */
export const download = (content: Buffer, type: string, name: string): StreamableFile =>
  new StreamableFile(content, {
    type,
    length: content.length,
    disposition: `attachment; filename="${name}"`,
  });
