import { Module } from '@nestjs/common';
import { FileSyncController } from './file-sync.controller.js';
import { RentalsController } from './rentals.controller.js';

@Module({ controllers: [RentalsController, FileSyncController] })
export class RentalsHttpModule {}
