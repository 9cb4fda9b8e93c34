import { type Runtime } from '../runtime.js';
import { type ProjectorCalls } from './projector.protocol.js';

/** The answers of a projector to its process once its runtime has begun. */
export const projectorAnswers = (
  runtime: Runtime,
): Pick<ProjectorCalls, 'appended' | 'reach' | 'status'> => {
  const { projectionHost, engines, codec } = runtime;
  return {
    // Reading the head wakes subscriptions that miss events.
    appended: () => void engines.eventStore.head().catch(() => undefined),
    reach: async (request) => {
      await engines.eventStore.head();
      return projectionHost.reach(request);
    },
    status: async () => {
      const { damaged = [] } = await engines.eventStore.health();
      return {
        projections: await projectionHost.runners(),
        sagas: runtime.reactions(),
        damaged: [...damaged, ...codec.unreadable()],
      };
    },
  };
};
