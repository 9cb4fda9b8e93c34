import { z } from 'zod';
import { RigName } from '#events/catalog/rate-card.events.js';
import { Port, RentalNumber } from '#events/rentals/rental.job.js';

export const COMMAND_WORDS_MAX = 64;
export const WORD_LENGTH_MAX = 4_096;
export const VARIABLES_MAX = 64;

/** A program cannot be given a NUL. */
const Word = z
  .string()
  .max(WORD_LENGTH_MAX)
  .refine((text) => !text.includes('\0'), 'a NUL is not allowed');

/** The program and its arguments. */
export const Command = z
  .tuple([Word.min(1)], Word)
  .refine((words) => words.length <= COMMAND_WORDS_MAX, `at most ${COMMAND_WORDS_MAX} words`);

/** The names that Quipu sets itself are not among them. */
export const Environment = z
  .record(z.string().regex(/^(?!QUIPU_)[A-Za-z_][A-Za-z0-9_]{0,127}$/), Word)
  .refine(
    (variables) => Object.keys(variables).length <= VARIABLES_MAX,
    `at most ${VARIABLES_MAX} variables`,
  );

/** A reference of an image: a name, perhaps with a registry, a tag or a digest. */
export const ImageName = z.string().regex(/^[a-z0-9][a-z0-9._/:@-]{0,254}$/);

/** The sealed input of the job. */
export const RentalInput = z.strictObject({
  number: RentalNumber,
  rig: RigName,
  command: Command,
  environment: Environment,
  image: ImageName.nullable(),
  firstPort: Port,
  lastPort: Port,
});
export type RentalInput = z.infer<typeof RentalInput>;
