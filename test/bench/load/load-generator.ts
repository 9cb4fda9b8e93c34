/** Entry point of the generator's own process: one order in, one result out, over IPC. */
import { type LoadOrder, runLoad } from './load-run.js';

const answer = async (order: LoadOrder): Promise<void> => {
  try {
    process.send?.({ result: await runLoad(order) });
  } catch (error) {
    process.send?.({ error: String(error) });
  }
};

process.on('message', (order: LoadOrder) => void answer(order));
process.on('disconnect', () => process.exit());
