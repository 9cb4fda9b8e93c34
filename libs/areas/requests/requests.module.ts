import { Module } from '@nestjs/common';
import { RequestHandler, RequestsHandler } from './list-requests.handler.js';

@Module({ providers: [RequestsHandler, RequestHandler] })
export class RequestsModule {}
