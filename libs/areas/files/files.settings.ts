import { type FilePurpose } from '#events/files/file.events.js';
import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';

export interface FileSettings {
  /** The largest file of each purpose, in bytes. */
  readonly bytesMax: Readonly<Record<FilePurpose, number>>;
  /** The most bytes of the files of one account. */
  readonly accountBytesMax: number;
}

export const FILE_SETTINGS = Symbol('FileSettings');

const BYTES_MAX = 4 * 1_024 ** 3;
const Bytes = wholeNumber(1, BYTES_MAX);

export const fileSettings = defineSettings({
  token: FILE_SETTINGS,
  variables: {
    QUIPU_FILE_BYTES_MAX: variable(Bytes.default(512 * 1_024 ** 2), 'the largest file'),
    QUIPU_BATCH_FILE_BYTES_MAX: variable(
      Bytes.default(200 * 1_024 ** 2),
      'the largest file of requests for a batch',
    ),
    QUIPU_ACCOUNT_FILE_BYTES_MAX: variable(
      wholeNumber(1, 2 ** 50).default(16 * 1_024 ** 3),
      'the files of one account together, and its uploads of a day',
    ),
  },
  read: (values): FileSettings => {
    const largest = values.QUIPU_FILE_BYTES_MAX;
    const batch = Math.min(values.QUIPU_BATCH_FILE_BYTES_MAX, largest);
    const bytesMax = {
      assistants: largest,
      batch,
      user_data: largest,
      'fine-tune': largest,
      batch_output: BYTES_MAX,
      image_output: largest,
    };
    return { bytesMax, accountBytesMax: values.QUIPU_ACCOUNT_FILE_BYTES_MAX };
  },
});
