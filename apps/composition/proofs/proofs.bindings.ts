import { type Provider } from '@nestjs/common';
import { AuditLog } from '#areas/audit/audit-log.js';
import { LedgerBalances } from '#areas/proofs/ledger-balances.port.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import { AuditedBalances } from './audited-balances.binding.js';

export const bindings: readonly Provider[] = [
  {
    provide: LedgerBalances,
    inject: [AuditLog, PROJECTIONS],
    useFactory: (log: AuditLog, projections: Projections) => new AuditedBalances(log, projections),
  },
];
