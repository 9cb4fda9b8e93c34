import { fleetSuite } from '../end-to-end/fleet.suite.js';
import { SuiteBroker } from '../servers/kafka/suite-broker.js';
import { SuiteDatabases } from '../servers/mongodb/suite-databases.js';

fleetSuite('a fleet on the gRPC node, Kafka and a server of MongoDB’s protocol', async () => {
  const [broker, databases] = await Promise.all([SuiteBroker.start(), SuiteDatabases.start()]);
  const url = databases.newUrl();
  return {
    environment: { QUIPU_READ_STORE: url, QUIPU_BUS: broker.newUrl() },
    close: async () => {
      await broker.stop();
      await databases.remove(url);
      await databases.stop();
    },
  };
});
