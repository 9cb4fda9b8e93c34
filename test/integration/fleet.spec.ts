import { fleetSuite } from '../end-to-end/fleet.suite.js';
import { startKafka } from '../servers/kafka/kafka.server.js';
import { SuiteDatabases } from '../servers/mongodb/suite-databases.js';

/** The broker that `TEST_KAFKA_URL` names, or a new one. */
const openKafka = async () => {
  const given = process.env['TEST_KAFKA_URL'];
  if (given !== undefined) return { url: given, stop: () => Promise.resolve() };
  return startKafka();
};

fleetSuite('a fleet on the gRPC node, Kafka and a server of MongoDB’s protocol', async () => {
  const [kafka, databases] = await Promise.all([openKafka(), SuiteDatabases.start()]);
  const url = databases.newUrl();
  return {
    environment: { QUIPU_READ_STORE: url, QUIPU_BUS: kafka.url },
    close: async () => {
      await kafka.stop();
      await databases.remove(url);
      await databases.stop();
    },
  };
});
