import { type Bus } from '#platform/bus/bus.port.js';
import { openBus } from '../../composition/engines.js';
import { CommandFailure } from '../command-failure.js';
import { EXIT } from '../exit-code.js';
import { loggerOf, settingsOf } from '../installation.js';
import { type Invocation } from '../invocation.js';

/**
 * Opens only the bus of the fleet, and closes it after the work.
 * @throws CommandFailure `bad_settings`; `no_shared_bus` if the bus is in the memory of a server
 */
export const withSharedBus = async <Result>(
  { environment }: Invocation,
  work: (bus: Bus) => Promise<Result>,
): Promise<Result> => {
  const settings = settingsOf(environment);
  if (settings.bus.kind === 'memory') {
    const message = 'the bus is in the memory of a server; set QUIPU_BUS to the bus of a fleet';
    throw new CommandFailure('no_shared_bus', message, EXIT.usage);
  }
  const bus = await openBus(settings, loggerOf(settings, environment));
  try {
    return await work(bus);
  } finally {
    await bus.close();
  }
};
