import { CommanderError } from 'commander';
import { BusError } from '#platform/bus/bus.errors.js';
import { EventStoreError } from '#platform/event-store/event-store.errors.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { ReadStoreError } from '#platform/read-store/read-store.errors.js';
import { BackupError } from '#platform/backup/backup.error.js';
import { EXIT, type ExitCode } from './exit-code.js';

/** The reason why a command failed. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';

  /**
   * @param code in snake case, for scripts
   * @param message a sentence; it names the option that caused the failure, if any
   */
  constructor(
    readonly code: string,
    message: string,
    readonly exitCode: ExitCode = EXIT.failed,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export const usage = (message: string): CommandFailure =>
  new CommandFailure('usage', message, EXIT.usage);

export const interrupted = (): CommandFailure =>
  new CommandFailure('interrupted', 'interrupted', EXIT.interrupted);

/** @throws CommandFailure once the user has pressed Ctrl-C */
export const stopIfInterrupted = (signal: AbortSignal): void => {
  if (signal.aborted) throw interrupted();
};

/** Commander prints hints on separate lines. */
const oneLine = (message: string): string =>
  message
    .replace(/^error: /, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');

/** `instanceof` alone leaves the code's type open. */
export const isDomainError = (error: unknown): error is DomainError => error instanceof DomainError;

const isOfEngine = (error: unknown): error is EventStoreError | ReadStoreError | BusError =>
  error instanceof EventStoreError || error instanceof ReadStoreError || error instanceof BusError;

const inSnakeCase = (code: string): string => code.replaceAll('-', '_');

/** Converts any error of a command. An unexpected error becomes the cause and keeps its stack. */
export const failureOf = (error: unknown): CommandFailure => {
  if (error instanceof CommandFailure) return error;
  if (error instanceof CommanderError) return usage(oneLine(error.message));
  if (isDomainError(error)) return new CommandFailure(error.code, error.detail);
  if (error instanceof BackupError) return new CommandFailure(error.code, error.message);
  if (isOfEngine(error)) {
    return new CommandFailure(inSnakeCase(error.code), error.message);
  }
  const message = error instanceof Error ? error.message : String(error);
  return new CommandFailure('internal_error', message, EXIT.failed, { cause: error });
};
