import { type Provider } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { AuditLog } from '#areas/audit/audit-log.js';
import { Catalog } from '#areas/catalog/catalog.js';
import { PackagingLog } from '#areas/packages/packaging-log.port.js';
import { ResidentModels } from '#areas/packages/resident-models.port.js';
import { AuditedPackaging } from './packaging-log.binding.js';
import { CatalogModels } from './resident-models.binding.js';

export const bindings: readonly Provider[] = [
  {
    provide: ResidentModels,
    inject: [{ token: Catalog, optional: true }],
    useFactory: (catalog?: Catalog) => new CatalogModels(catalog),
  },
  {
    provide: PackagingLog,
    inject: [QueryBus, { token: AuditLog, optional: true }],
    useFactory: (queries: QueryBus, log?: AuditLog) => new AuditedPackaging(queries, log),
  },
];
