import { type LoggedEvent } from './archive/provenance.js';

/** The transparency log of the installation. The composition root binds it. */
export abstract class PackagingLog {
  /** The verifier key of the log. */
  abstract key(): string;

  /**
   * The event of a request, with the proof that the log has it.
   * @throws DomainError `audit_not_ready` until a checkpoint covers it
   */
  abstract prove(requestId: string): Promise<LoggedEvent>;
}
