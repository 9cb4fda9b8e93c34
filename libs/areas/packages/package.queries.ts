import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type ShownPackage, showPackage } from './shown-package.js';
import { StoredPackages } from './stored-packages.js';

export class PackageQuery extends Query<ShownPackage> {
  constructor(
    readonly accountId: string,
    readonly packageUuid: string,
  ) {
    super();
  }
}

@QueryHandler(PackageQuery)
export class PackageHandler implements IQueryHandler<PackageQuery> {
  constructor(private readonly packages: StoredPackages) {}

  /** @throws DomainError `package_not_found` */
  async execute({ accountId, packageUuid }: PackageQuery): Promise<ShownPackage> {
    return showPackage(await this.packages.find(accountId, packageUuid), this.packages);
  }
}

export interface PackagePage {
  readonly packages: readonly ShownPackage[];
  readonly total: number;
  readonly position: bigint;
}

/** The packages of an account, the newest first. */
export class PackagesQuery extends Query<PackagePage> {
  constructor(
    readonly accountId: string,
    /** From 1. */
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}

@QueryHandler(PackagesQuery)
export class PackagesHandler implements IQueryHandler<PackagesQuery> {
  constructor(private readonly packages: StoredPackages) {}

  async execute({ accountId, page, limit }: PackagesQuery): Promise<PackagePage> {
    const { packages, position } = await this.packages.list(accountId);
    const start = (page - 1) * limit;
    const shown = packages
      .slice(start, start + limit)
      .map((one) => showPackage(one, this.packages));
    return { packages: await Promise.all(shown), total: packages.length, position };
  }
}
