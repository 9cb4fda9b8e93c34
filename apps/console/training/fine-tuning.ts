const ID = /^ftjob-(.{8})(.{4})(.{4})(.{4})(.{12})$/;

/** The id of the job whose fine-tuning has this id of OpenAI's shape. Undefined: of none. */
export const jobIdOf = (fineTuning: string): string | undefined =>
  ID.exec(fineTuning)?.slice(1).join('-');
