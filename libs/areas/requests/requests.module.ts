import { Module } from '@nestjs/common';
import { SpendHandler } from './spend.handler.js';
import { RequestHandler, RequestsHandler } from './list-requests.handler.js';

@Module({ providers: [RequestsHandler, RequestHandler, SpendHandler] })
export class RequestsModule {}
