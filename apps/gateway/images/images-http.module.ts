import { Module } from '@nestjs/common';
import { ApiGuard } from '../identity/api.guard.js';
import { ImageExchange } from './image-exchange.js';
import { ImagesController } from './images.controller.js';

@Module({ controllers: [ImagesController], providers: [ApiGuard, ImageExchange] })
export class ImagesHttpModule {}
