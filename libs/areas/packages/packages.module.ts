import { Module } from '@nestjs/common';
import { ExpirePackageHandler, SettlePackageContentHandler } from './content.handlers.js';
import { PackageKeys } from './keys/package-keys.js';
import { PublishRootHandler, ProposeRootHandler, RootsHandler } from './keys/root.handlers.js';
import { OrderPackageHandler } from './order-package.handler.js';
import { PackageDownloads } from './package-downloads.js';
import { PackageHandler, PackagesHandler } from './package.queries.js';
import { Packager } from './packager.js';
import { StoredPackages } from './stored-packages.js';

@Module({
  providers: [
    PackageKeys,
    StoredPackages,
    Packager,
    PackageDownloads,
    OrderPackageHandler,
    SettlePackageContentHandler,
    ExpirePackageHandler,
    PackageHandler,
    PackagesHandler,
    RootsHandler,
    ProposeRootHandler,
    PublishRootHandler,
  ],
  exports: [PackageDownloads],
})
export class PackagesModule {}
