import { Module } from '@nestjs/common';
import { RequestsController } from './requests.controller.js';
import { SpendController } from './spend.controller.js';

@Module({ controllers: [RequestsController, SpendController] })
export class RequestsHttpModule {}
