import { Inject } from '@nestjs/common';
import {
  Command,
  CommandHandler,
  type ICommandHandler,
  type IQueryHandler,
  Query,
  QueryHandler,
} from '@nestjs/cqrs';
import { z } from 'zod';
import { InvoiceDetailsSet } from '#events/billing/invoice-details.events.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type Decider } from '#platform/kernel/decider.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';
import { type Statement } from './statement.js';
import { STATEMENT_SETTINGS, type Party, type StatementSettings } from './statements.settings.js';

type State = string | null;

interface SetInvoiceDetails {
  readonly type: 'SetInvoiceDetails';
  readonly data: InvoiceDetailsSet['data'];
}

/** The state is the sealed details. */
export const invoiceDetailsDecider: Decider<SetInvoiceDetails, State, InvoiceDetailsSet> = {
  initialState: null,
  decide: ({ data }) => [InvoiceDetailsSet.of(data)],
  evolve: (_, { data }) => data.sealed,
};

export type InvoiceDetailsRunner = CommandRunner<SetInvoiceDetails, State, InvoiceDetailsSet>;
export const INVOICE_DETAILS = Symbol('InvoiceDetails');

const streamOf = (accountId: string): string => `invoicedetails-${accountId}`;
/** The id of an account is the id of its user. */
const subjectOf = (accountId: string): string => `user:${accountId}`;
const FIELD = 'InvoiceDetailsSet.details';

const Details = z.strictObject({
  name: z.string(),
  address: z.string().nullable(),
  taxId: z.string().nullable(),
});

/** The customer's details on invoices, from now on. */
export class SetInvoiceDetailsCommand extends Command<void> {
  constructor(
    readonly accountId: string,
    readonly details: Party,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(SetInvoiceDetailsCommand)
export class SetInvoiceDetailsHandler implements ICommandHandler<SetInvoiceDetailsCommand> {
  constructor(
    @Inject(INVOICE_DETAILS) private readonly runner: InvoiceDetailsRunner,
    @Inject(SECRETS) private readonly secrets: Pick<Secrets, 'subjects'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ accountId, details, context }: SetInvoiceDetailsCommand): Promise<void> {
    const text = JSON.stringify(details);
    const [subject, stream] = [subjectOf(accountId), streamOf(accountId)];
    const { subjects } = this.secrets;
    const { state: current } = await this.runner.stateOf(stream);
    if (current !== null && (await subjects.open(subject, FIELD, current)) === text) return;
    const sealed = await subjects.seal(subject, FIELD, text);
    const data = { accountId, sealed, setAt: instant(this.clock) };
    await this.runner.run(stream, { type: 'SetInvoiceDetails', data }, context);
  }
}

/** Who sells and who buys. */
export interface InvoiceParties {
  readonly seller: Party | null;
  /** Null: never set, or erased. */
  readonly customer: Party | null;
}

/** The parties of the account's invoices now, or of a statement: fixed when it is closed. */
export class InvoicePartiesQuery extends Query<InvoiceParties> {
  constructor(
    readonly accountId: string,
    readonly closed: Statement['parties'] = null,
  ) {
    super();
  }
}

@QueryHandler(InvoicePartiesQuery)
export class InvoicePartiesHandler implements IQueryHandler<InvoicePartiesQuery> {
  constructor(
    @Inject(INVOICE_DETAILS) private readonly runner: InvoiceDetailsRunner,
    @Inject(SECRETS) private readonly secrets: Pick<Secrets, 'subjects'>,
    @Inject(STATEMENT_SETTINGS) private readonly settings: StatementSettings,
  ) {}

  async execute({ accountId, closed }: InvoicePartiesQuery): Promise<InvoiceParties> {
    const { seller, sealedCustomer } = closed ?? (await this.sealedOf(accountId));
    if (sealedCustomer === null) return { seller, customer: null };
    const { subjects } = this.secrets;
    const text = await subjects.open(subjectOf(accountId), FIELD, sealedCustomer);
    return { seller, customer: text === null ? null : Details.parse(JSON.parse(text)) };
  }

  /** As a closing stores them. */
  async sealedOf(accountId: string): Promise<NonNullable<Statement['parties']>> {
    const { state } = await this.runner.stateOf(streamOf(accountId));
    return { seller: this.settings.seller, sealedCustomer: state };
  }
}
