/** What the broker of the tests is told; small, since it shares two cores with what it serves. */
export interface BrokerPorts {
  readonly clients: number;
  /** For clients that authenticate, by SCRAM-SHA-256. */
  readonly sasl: number;
  readonly controller: number;
  /** What clients are told instead of `clients`: the same, or that of a proxy. */
  readonly advertised: number;
}

const LISTENERS = { PLAINTEXT: 'clients', SASL: 'sasl', CONTROLLER: 'controller' } as const;

const listeners = (ports: BrokerPorts, names: readonly (keyof typeof LISTENERS)[]): string =>
  names.map((name) => `${name}://127.0.0.1:${ports[LISTENERS[name]]}`).join(',');

export const serverProperties = (ports: BrokerPorts, dataFolder: string): string =>
  Object.entries({
    'process.roles': 'broker,controller',
    'node.id': '1',
    'controller.quorum.voters': `1@127.0.0.1:${ports.controller}`,
    listeners: listeners(ports, ['PLAINTEXT', 'SASL', 'CONTROLLER']),
    'advertised.listeners': listeners({ ...ports, clients: ports.advertised }, [
      'PLAINTEXT',
      'SASL',
    ]),
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'PLAINTEXT',
    'listener.security.protocol.map':
      'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL:SASL_PLAINTEXT',
    'sasl.enabled.mechanisms': 'SCRAM-SHA-256',
    'listener.name.sasl.scram-sha-256.sasl.jaas.config':
      'org.apache.kafka.common.security.scram.ScramLoginModule required;',
    'log.dirs': dataFolder,
    'offsets.topic.replication.factor': '1',
    'offsets.topic.num.partitions': '4',
    'transaction.state.log.replication.factor': '1',
    'transaction.state.log.min.isr': '1',
    'transaction.state.log.num.partitions': '2',
    'share.coordinator.state.topic.replication.factor': '1',
    'share.coordinator.state.topic.min.isr': '1',
    'group.initial.rebalance.delay.ms': '0',
    'auto.create.topics.enable': 'false',
  })
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');

export const LOG4J_PROPERTIES = `
rootLogger.level = warn
rootLogger.appenderRef.stdout.ref = stdout
appender.stdout.type = Console
appender.stdout.name = stdout
appender.stdout.layout.type = PatternLayout
appender.stdout.layout.pattern = %d{HH:mm:ss.SSS} %p %c{1} %m%n
`;
