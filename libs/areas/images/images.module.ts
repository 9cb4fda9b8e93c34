import { Module } from '@nestjs/common';
import { CreateImagesHandler } from './create-images.handler.js';
import { EmbeddedPainter } from './embedded-painter.js';
import { ImageAdmission } from './image-admission.js';
import { Painters } from './painters.js';
import { Pictures } from '#platform/pictures/pictures.js';

@Module({
  providers: [Pictures, EmbeddedPainter, Painters, ImageAdmission, CreateImagesHandler],
  exports: [CreateImagesHandler, Painters],
})
export class ImagesModule {}
