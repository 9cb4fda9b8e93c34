import { Module } from '@nestjs/common';
import { PostcardsController } from './postcards.controller.js';

@Module({ controllers: [PostcardsController] })
export class PostcardsHttpModule {}
