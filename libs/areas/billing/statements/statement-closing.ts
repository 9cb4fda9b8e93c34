import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { monthAfter, monthOf, startOfMonth } from '#events/billing/statement-month.js';
import { type BackOff, backOffMs } from '#platform/kernel/back-off.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { projectionPages } from '#platform/runtime/projections/all-documents.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { type CommandSender, type LeaderService } from '#platform/runtime/areas/leader-service.js';
import { type RunnerStatus } from '#platform/runtime/subscriptions/log-progress.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { CLOCK, LOGGER, PROJECTIONS } from '#platform/runtime/tokens.js';
import {
  OPEN,
  openKey,
  type OpenStatement,
  statements,
} from '#projections/billing/statements.projection.js';
import { ChangeAccountCommand } from '../change-account.handler.js';
import { InvoicePartiesHandler } from './invoice-details.handlers.js';
import { StatementTaxes } from './statement-taxes.port.js';
import { STATEMENT_SETTINGS, type StatementSettings } from './statements.settings.js';

/** After a failure; at most the pause of every poll. */
const RETRIES: BackOff = { firstMs: 1_000, maxMs: 60_000 };
/** The namespace of the ids of closings: a repeat has the same one. */
const CLOSINGS = '6a1b0a3c-3f43-4f0e-9b0c-0f2f1d3f5a77';

/**
 * Closes the statements of past months, with the tax that is decided then. It runs in the process
 * that runs the sagas. A statement that cannot be closed is logged and tried again after a pause
 * that grows; the others are closed.
 */
@Injectable()
export class StatementClosing implements LeaderService {
  #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #failure: string | null = null;
  #phase: RunnerStatus['phase'] = 'closed';

  constructor(
    @Inject(PROJECTIONS) private readonly projections: Projections,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(STATEMENT_SETTINGS) private readonly settings: StatementSettings,
    private readonly taxes: StatementTaxes,
    @Inject(InvoicePartiesHandler)
    private readonly parties: Pick<InvoicePartiesHandler, 'sealedOf'>,
  ) {}

  start(sender: CommandSender): Promise<void> {
    this.#stopping = new AbortController();
    this.#phase = 'live';
    this.#running = this.#run(sender, this.#stopping.signal);
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    this.#phase = 'closed';
  }

  status(): RunnerStatus {
    const phase = this.#failure === null ? this.#phase : 'stopped';
    const failure = this.#failure;
    return { name: 'billing.statement-closing', phase, position: 0n, failure, retryAt: null };
  }

  async #run(sender: CommandSender, signal: AbortSignal): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      try {
        this.#failure = await this.closeDue(sender, signal);
      } catch (error) {
        this.#failure = messageOf(error);
        this.logger.error({ err: error }, 'the open statements could not be read');
      }
      failures = this.#failure === null ? 0 : failures + 1;
      const { pollMs } = this.settings;
      const pauseMs = failures === 0 ? pollMs : Math.min(backOffMs(RETRIES, failures), pollMs);
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Months in their order. @returns why the last one that failed was not closed, or null */
  async closeDue(sender: CommandSender, signal: AbortSignal): Promise<string | null> {
    const due = new Date(this.clock.now() - this.settings.closeAfterMs).toISOString();
    let failure: string | null = null;
    const range = { prefix: OPEN, before: openKey(monthOf(due)) };
    for await (const { documents } of projectionPages(this.projections, statements, range)) {
      for (const { document } of documents) {
        if (signal.aborted) return failure;
        if (document.kind === 'open') failure = (await this.#close(document, sender)) ?? failure;
      }
    }
    return failure;
  }

  async #close(
    { accountId, month }: OpenStatement,
    sender: CommandSender,
  ): Promise<string | undefined> {
    try {
      const last = new Date(Date.parse(startOfMonth(monthAfter(month))) - 1).toISOString();
      const tax = await this.taxes.termsOf(accountId, last);
      const parties = await this.parties.sealedOf(accountId);
      const data = { accountId, month, tax, parties, closedAt: instant(this.clock) };
      const id = derivedId(`${accountId}\n${month}`, CLOSINGS);
      const context = contextOf(id, 'system');
      await sender.execute(new ChangeAccountCommand({ type: 'CloseStatement', data }, context));
      return undefined;
    } catch (error) {
      this.logger.error({ err: error, accountId, month }, 'a statement could not be closed');
      return messageOf(error);
    }
  }
}

const messageOf = (error: unknown): string =>
  Error.isError(error) ? error.message : String(error);
