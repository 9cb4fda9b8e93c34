/** How the program ends; scripts rely on it. */
export const EXIT = {
  done: 0,
  /** Refused, not balanced, or broken. */
  failed: 1,
  /** The command line or the settings are wrong; nothing was tried. */
  usage: 2,
  /** 128 + SIGINT, as shells have it. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
