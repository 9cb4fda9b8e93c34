/** Exit codes of the program; scripts rely on them. */
export const EXIT = {
  done: 0,
  /** The command was rejected or failed, or the ledger does not balance. */
  failed: 1,
  /** The command line or a setting is wrong; the command did not start. */
  usage: 2,
  /** 128 + SIGINT, the convention of shells. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
