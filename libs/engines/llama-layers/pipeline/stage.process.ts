/** The process of one stage. It ends with its parent. */
import { Stage } from './stage.js';
import { type StageReady, type StageStart } from './stage.protocol.js';

process.once('message', (start: StageStart) => {
  void Stage.listen(start).then(({ port }) => process.send?.({ port } satisfies StageReady));
});

// A terminal sends its signals to the whole group; the parent drains and then disconnects.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit(0));
