import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { PictureThread } from './picture-thread.js';

/** The thread of the process that reads and writes PNG files. */
@Injectable()
export class Pictures implements OnModuleDestroy {
  readonly thread = new PictureThread();

  onModuleDestroy(): Promise<void> {
    return this.thread.close();
  }
}
