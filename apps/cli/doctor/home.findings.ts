import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { type Settings } from '../../composition/settings.js';
import { failed, type Finding, ok, warning } from './finding.js';

const PART = 'home';
/** A log of a busy day and a backup of it. */
const FREE_BYTES_MIN = 1_073_741_824;

/** Whether the folder of the process can be written, and has room. */
export const homeFindings = async ({ home }: Settings): Promise<readonly Finding[]> => {
  try {
    await access(home, constants.R_OK | constants.W_OK);
    const { bavail, bsize } = await statfs(home);
    const free = bavail * bsize;
    const detail = `${home}, ${(free / FREE_BYTES_MIN).toFixed(1)} GiB free`;
    if (free >= FREE_BYTES_MIN) return [ok(PART, detail)];
    return [warning(PART, detail, 'free some space: a log that cannot grow admits no paid work')];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [failed(PART, reason, 'set QUIPU_HOME to a folder of an installation, or start it')];
  }
};
