import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { type CryptoInvoiceCreated } from '#events/payments/crypto-invoice.events.js';
import { type CryptoNetwork } from '#events/payments/crypto.vocabulary.js';
import { allDocuments } from '#platform/runtime/projections/all-documents.js';
import { type CommandSender } from '#platform/runtime/areas/leader-service.js';
import { PollingService } from '#platform/runtime/areas/polling-service.js';
import { type RunnerStatus } from '#platform/runtime/subscriptions/log-progress.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { LOGGER, PROJECTIONS } from '#platform/runtime/tokens.js';
import { openCryptoInvoices } from '#projections/payments/open-crypto-invoices.projection.js';
import { InvoiceObserver } from '../invoices/invoice-observer.js';
import { PAYMENTS_SETTINGS, type PaymentsSettings } from '../payments.settings.js';

type Terms = CryptoInvoiceCreated['data'];

/** For one look at one chain. */
const LOOK_MS_MAX = 60_000;

/**
 * Looks at the chains of all open invoices, again and again. A chain that cannot be read delays no
 * other, and shows in the status.
 */
@Injectable()
export class ChainPolling extends PollingService {
  readonly #failures = new Map<CryptoNetwork, string>();
  #position = 0n;

  constructor(
    private readonly observer: InvoiceObserver,
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'list'>,
    @Inject(PAYMENTS_SETTINGS) { pollMs }: Pick<PaymentsSettings, 'pollMs'>,
    @Inject(LOGGER) logger: Logger,
  ) {
    const failed = 'the chains could not be looked at; retrying';
    super({ name: 'crypto-chains', pauseMs: pollMs, failed }, logger);
  }

  override status(): RunnerStatus {
    const failure = [...this.#failures].map(([network, why]) => `${network}: ${why}`).join('; ');
    const position = this.#position;
    return { ...super.status(), position, failure: failure === '' ? null : failure };
  }

  protected override look(_sender: CommandSender, signal: AbortSignal): Promise<void> {
    return this.lookOnce(signal);
  }

  /** Looks at each chain that open invoices wait for. Never rejects. */
  async lookOnce(signal: AbortSignal): Promise<void> {
    let invoices: readonly Terms[];
    try {
      invoices = await this.#open();
    } catch (error) {
      if (!signal.aborted) this.logger.error({ err: error }, 'open crypto invoices cannot be read');
      return;
    }
    const networks = Map.groupBy(invoices, ({ network }) => network);
    for (const known of this.#failures.keys()) {
      if (!networks.has(known)) this.#failures.delete(known);
    }
    await Promise.all([...networks].map(([network, terms]) => this.#look(network, terms, signal)));
  }

  async #look(
    network: CryptoNetwork,
    terms: readonly Terms[],
    stopping: AbortSignal,
  ): Promise<void> {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(LOOK_MS_MAX)]);
    try {
      await this.observer.observe(network, terms, signal);
      this.#failures.delete(network);
    } catch (error) {
      if (stopping.aborted) return;
      this.#failures.set(network, error instanceof Error ? error.message : String(error));
      this.logger.error({ err: error, network }, 'a chain could not be read; retrying');
    }
  }

  async #open(): Promise<readonly Terms[]> {
    const { documents, position } = await allDocuments(this.projections, openCryptoInvoices);
    this.#position = position;
    return documents.flatMap(({ document: { terms } }) => terms ?? []);
  }
}
