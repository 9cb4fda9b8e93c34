import type { AdapterTask } from './adapter.task.js';
import { FORMAT_TASKS } from './format.tasks.js';
import { DECLINE_TASKS, LANGUAGE_TASKS } from './manners.tasks.js';
import { EXTRACTION_TASKS, LABEL_TASKS } from './question.tasks.js';
import { REGISTER_TASKS } from './register.tasks.js';
import { WORD_GAME_TASKS } from './word-game.tasks.js';

/** Everything an adapter is trained for; those that do not gain are not shipped. */
export const ADAPTER_TASKS: readonly AdapterTask[] = [
  ...REGISTER_TASKS,
  ...FORMAT_TASKS,
  ...WORD_GAME_TASKS,
  ...EXTRACTION_TASKS,
  ...LABEL_TASKS,
  ...DECLINE_TASKS,
  ...LANGUAGE_TASKS,
];
