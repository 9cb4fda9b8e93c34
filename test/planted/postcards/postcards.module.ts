import { Module } from '@nestjs/common';
import { AlbumHandler } from './album.handler.js';
import { AlbumBinder } from './album.job.js';
import { AnswerPostcardHandler } from './answer-postcard.handler.js';
import { BindAlbumHandler } from './bind-album.handler.js';
import { ChargePostcardHandler } from './charge-postcard.handler.js';
import { DeliverPostcardHandler } from './deliver-postcard.handler.js';
import { PostOffice } from './post-office.js';
import { PostcardChatStrategy } from './postcard-chat.strategy.js';
import { PostcardHandler } from './postcard.handler.js';
import { PostcardRunner } from './postcard-runner.js';
import { WritePostcardHandler } from './write-postcard.handler.js';

@Module({
  providers: [
    PostOffice,
    PostcardRunner,
    WritePostcardHandler,
    DeliverPostcardHandler,
    ChargePostcardHandler,
    AnswerPostcardHandler,
    PostcardHandler,
    PostcardChatStrategy,
    AlbumBinder,
    BindAlbumHandler,
    AlbumHandler,
  ],
  exports: [PostOffice],
})
export class PostcardsModule {}
