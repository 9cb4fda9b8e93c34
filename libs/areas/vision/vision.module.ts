import { Module } from '@nestjs/common';
import { Pictures } from '#platform/pictures/pictures.js';
import { LookAdmission } from './look-admission.js';
import { LookAtFrameHandler } from './look-at-frame.handler.js';
import { Looker } from './looker.js';
import { PictureDescriptions } from './picture-descriptions.js';
import { VisionStreams } from './vision-streams.js';

@Module({
  providers: [
    Pictures,
    Looker,
    VisionStreams,
    LookAdmission,
    LookAtFrameHandler,
    PictureDescriptions,
  ],
  exports: [LookAtFrameHandler, Looker, PictureDescriptions],
})
export class VisionModule {}
