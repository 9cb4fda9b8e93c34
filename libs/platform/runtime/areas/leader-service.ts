import { type ICommand } from '@nestjs/cqrs';
import { type RunnerStatus } from '../subscriptions/log-progress.js';

/** Sends a command that a reaction asked for; `apps/` binds it to Nest's `CommandBus`. */
export interface CommandSender {
  execute(command: ICommand): Promise<unknown>;
}

/**
 * Work of an area that exactly one process does: the one that runs the sagas. A provider of the
 * area's module, listed by class in its declaration. A process may lead several times, so `start`
 * may follow `stop`.
 */
export interface LeaderService {
  /**
   * Begins the work. It resolves without waiting for a server that does not answer: a rejection
   * gives up the leadership of the process.
   * @param sender rejects every command once the leadership is lost
   */
  start(sender: CommandSender): Promise<void>;

  /** Resolves when the work has ended: nothing is sent afterwards. Called once for each `start`. */
  stop(): Promise<void>;

  /** For `/health/ready` and the metrics, beside sagas and relays. */
  status(): RunnerStatus;
}
