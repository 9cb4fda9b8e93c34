import { type CommandContext } from '#platform/runtime/commands/command-context.js';

/** A request that an account pays for. Its request id is also the id of its hold. */
export interface PaidOrder {
  readonly accountId: string;
  /** When the request came, in milliseconds since the Unix epoch. */
  readonly receivedAtMs: number;
  readonly context: CommandContext;
  /** Where the interface has them. */
  readonly routingMode?: string;
  /** Aborts when the caller leaves; with it, the hold may wait for the holds of others. */
  readonly signal?: AbortSignal;
  /** Whether this attempt still owns the request; false once a retry has taken it over. */
  readonly confirm?: () => Promise<boolean>;
}
