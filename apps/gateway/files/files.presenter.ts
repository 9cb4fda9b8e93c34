import { type FilePage, type NamedFile } from '#areas/files/list-files.handler.js';
import { type FileDto, type FileListDto } from './files.dto.js';

const secondsOf = (at: string): number => Math.floor(Date.parse(at) / 1_000);

export const presentFile = ({
  fileId,
  bytes,
  createdAt,
  expiresAt,
  name,
  purpose,
}: NamedFile): FileDto => ({
  id: fileId,
  object: 'file',
  bytes,
  created_at: secondsOf(createdAt),
  ...(expiresAt !== null && { expires_at: secondsOf(expiresAt) }),
  filename: name,
  purpose,
  status: 'processed',
});

export const presentFiles = ({ files, hasMore }: FilePage): FileListDto => ({
  object: 'list',
  data: files.map(presentFile),
  first_id: files.at(0)?.fileId ?? null,
  last_id: files.at(-1)?.fileId ?? null,
  has_more: hasMore,
});
