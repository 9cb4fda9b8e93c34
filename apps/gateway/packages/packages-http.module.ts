import { Module } from '@nestjs/common';
import { PackageDownloadController } from './package-download.controller.js';
import { PackagesController } from './packages.controller.js';

@Module({ controllers: [PackagesController, PackageDownloadController] })
export class PackagesHttpModule {}
