import { imagesEngine } from '#areas/images/images.engine.js';
import { FrameEngine } from '#areas/live/ports.js';
import { type ImageEnd, type ImageTask } from '#areas/live/scenes.engine.js';
import { type Tasks } from '#platform/tasks/tasks.port.js';
import { type WorkerDirectory } from '#platform/tasks/worker-directory.js';

/** Frames are tasks of the engine of pictures, on the rig of the session while it is up. */
export class FrameTasks extends FrameEngine {
  constructor(
    private readonly tasks: Pick<Tasks, 'run'>,
    private readonly directory: Pick<WorkerDirectory, 'rig'>,
  ) {
    super();
  }

  override async draw(task: ImageTask, rig: string, signal: AbortSignal): Promise<ImageEnd | null> {
    const heard = this.directory.rig(rig);
    const isUp = heard && !heard.isSilent && heard.heartbeat.status === 'ready';
    const options = isUp ? { worker: heard.heartbeat.worker } : {};
    const { value } = await this.tasks.run(imagesEngine, task, signal, options).next();
    return value;
  }
}
