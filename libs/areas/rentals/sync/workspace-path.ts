import { reject } from '../rentals.errors.js';

export const PATH_BYTES_MAX = 1_024;
const NAME_BYTES_MAX = 255;
const DEPTH_MAX = 32;

/** Devices of Windows, with any extension; a workspace may be used there. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)( *\..*)?$/i;
const CONTROL = /[\u0000-\u001f\u007f]/;

/**
 * The names of the folders and of the file, from the root of the workspace on.
 * @throws DomainError `sync_path_invalid`
 */
export const namesOf = (filePath: string): readonly [...string[], string] => {
  if (Buffer.byteLength(filePath) > PATH_BYTES_MAX) {
    return invalid(`file_path has more than ${PATH_BYTES_MAX} bytes`);
  }
  if (CONTROL.test(filePath)) invalid('file_path has a NUL or another control character');
  if (filePath.includes('\\')) invalid('file_path has a backslash: use slashes');
  if (filePath.startsWith('/') || /^[A-Za-z]:/.test(filePath)) {
    invalid('file_path is absolute: it must be relative to the workspace');
  }
  const names = filePath.split('/');
  const name = names.pop() ?? '';
  if (names.length >= DEPTH_MAX) invalid(`file_path has more than ${DEPTH_MAX} names`);
  for (const one of [...names, name]) demandName(one);
  return [...names, name];
};

const demandName = (name: string): void => {
  if (name === '' || name === '.' || name === '..') {
    invalid('file_path has an empty name, "." or ".."');
  }
  if (Buffer.byteLength(name) > NAME_BYTES_MAX) {
    invalid(`a name of file_path has more than ${NAME_BYTES_MAX} bytes`);
  }
  if (DEVICE.test(name)) invalid(`file_path has the name of a device: ${name}`);
  if (name.endsWith('.') || name.endsWith(' ')) invalid('a name of file_path ends with . or space');
};

const invalid = (message: string): never => reject('sync_path_invalid', message);
