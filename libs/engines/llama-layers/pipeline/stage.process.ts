/** The process of one stage. It ends with its parent, and with the connection of its head. */
import { Stage } from './stage.js';
import { type StageReady, type StageStart } from './stage.protocol.js';

/** A head that does not come by then is gone, too. */
const HEAD_MS_MAX = 60_000;

process.once('message', (start: StageStart) => {
  const end = (): void => process.exit(0);
  const late = setTimeout(end, HEAD_MS_MAX);
  const watch = { onHead: () => clearTimeout(late), onHeadGone: end };
  void Stage.listen(start, watch).then(({ port }) => {
    // The parent may be gone; the disconnection then ends this process.
    process.send?.({ port } satisfies StageReady, undefined, undefined, () => undefined);
  });
});

// A terminal sends its signals to the whole group; the parent drains and then disconnects.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit(0));
