import { Module } from '@nestjs/common';
import { RentalEngines } from './engines/rental-engines.js';
import { PortPool } from './ports/port-pool.js';
import { RentalAccess } from './rental-access.js';
import { RentalLogHandler, RentalQueryHandler, RentalsQueryHandler } from './rental.queries.js';
import { RentalFolders } from './running/rental-folders.js';
import { RentalRunner } from './running/rental-runner.js';
import { StartRentalHandler } from './start-rental.handler.js';
import { StopRentalHandler } from './stop-rental.handler.js';
import { FileSync } from './sync/file-sync.js';
import { EndRentalHandler, ReclaimPortsHandler } from './workspaces/end-rental.handler.js';
import { RentalKeeper } from './workspaces/rental-keeper.js';
import { Workspaces } from './workspaces/workspaces.js';

/** Requires, besides the platform: `RentalRates`, which the composition root provides globally. */
@Module({
  providers: [
    PortPool,
    RentalEngines,
    RentalFolders,
    RentalRunner,
    RentalAccess,
    RentalKeeper,
    Workspaces,
    FileSync,
    StartRentalHandler,
    StopRentalHandler,
    EndRentalHandler,
    ReclaimPortsHandler,
    RentalQueryHandler,
    RentalsQueryHandler,
    RentalLogHandler,
  ],
  exports: [RentalRunner, RentalKeeper, FileSync],
})
export class RentalsModule {}
