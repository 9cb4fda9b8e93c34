import { Inject, Injectable } from '@nestjs/common';
import { type AsOf } from '#platform/runtime/history/as-of.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import { type TaxStatus, taxStatuses } from '#projections/tax/tax-status.projection.js';
import { AccountsAbove } from './accounts-above.port.js';

export interface FoundStatus {
  /** It names the account that has it. Null: no status applies. */
  readonly status: TaxStatus | null;
  readonly position: bigint;
  /** Milliseconds since 1970. */
  readonly readAt: number;
}

/** The tax status that applies to an account: its own, or else the nearest one above it. */
@Injectable()
export class TaxStatuses {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Projections,
    private readonly above: AccountsAbove,
  ) {}

  async find(accountId: string, asOf?: AsOf): Promise<FoundStatus> {
    const reader = await this.projections.at(asOf);
    const { readAt } = reader;
    const own = await reader.get(taxStatuses, accountId);
    const { position } = own;
    if (own.document) return { status: own.document, position, readAt };
    for (const id of await this.above.of(accountId)) {
      const { document } = await reader.get(taxStatuses, id);
      if (document) return { status: document, position, readAt };
    }
    return { status: null, position, readAt };
  }
}
