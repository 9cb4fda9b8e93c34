/** Settings of the test broker. They are small, since it shares two cores with the tests. */
export interface BrokerPorts {
  readonly clients: number;
  /** For clients that authenticate, by SCRAM-SHA-256. */
  readonly sasl: number;
  /** For clients that authenticate by PLAIN within TLS. */
  readonly tls: number;
  readonly controller: number;
  /** The port that the broker advertises to clients: `clients`, or the port of a proxy. */
  readonly advertised: number;
}

export interface BrokerCredentials {
  readonly name: string;
  readonly password: string;
}

/** As PEM, the key in PKCS #8. */
export interface BrokerIdentity {
  readonly certificate: string;
  readonly key: string;
}

export interface BrokerSettings {
  readonly ports: BrokerPorts;
  readonly credentials: BrokerCredentials;
  /** Undefined: the broker has no TLS listener. */
  readonly identity: BrokerIdentity | undefined;
  readonly dataFolder: string;
}

const LISTENERS = {
  PLAINTEXT: 'clients',
  SASL: 'sasl',
  TLS: 'tls',
  CONTROLLER: 'controller',
} as const;

const listeners = (
  host: string,
  ports: BrokerPorts,
  names: readonly (keyof typeof LISTENERS)[],
): readonly string[] => names.map((name) => `${name}://${host}:${ports[LISTENERS[name]]}`);

const LOGIN_MODULES = 'org.apache.kafka.common.security';
const SCRAM_LOGIN = `${LOGIN_MODULES}.scram.ScramLoginModule required;`;

const plainLogin = ({ name, password }: BrokerCredentials): string =>
  `${LOGIN_MODULES}.plain.PlainLoginModule required user_${name}="${password}";`;

export const serverProperties = (settings: BrokerSettings): string => {
  const { ports, credentials, identity, dataFolder } = settings;
  const plain = ['PLAINTEXT', 'SASL'] as const;
  const secure = identity ? (['TLS'] as const) : [];
  const advertised = [
    ...listeners('127.0.0.1', { ...ports, clients: ports.advertised }, plain),
    ...listeners('localhost', ports, secure),
  ];
  return Object.entries({
    'process.roles': 'broker,controller',
    'node.id': '1',
    'controller.quorum.voters': `1@127.0.0.1:${ports.controller}`,
    listeners: listeners('127.0.0.1', ports, [...plain, ...secure, 'CONTROLLER']).join(','),
    'advertised.listeners': advertised.join(','),
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'PLAINTEXT',
    'listener.security.protocol.map':
      'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL:SASL_PLAINTEXT,TLS:SASL_SSL',
    'sasl.enabled.mechanisms': 'SCRAM-SHA-256',
    'listener.name.sasl.scram-sha-256.sasl.jaas.config': SCRAM_LOGIN,
    ...(identity && tlsProperties(identity, credentials)),
    'log.dirs': dataFolder,
    'offsets.topic.replication.factor': '1',
    'offsets.topic.num.partitions': '4',
    'transaction.state.log.replication.factor': '1',
    'transaction.state.log.min.isr': '1',
    'transaction.state.log.num.partitions': '2',
    'share.coordinator.state.topic.replication.factor': '1',
    'share.coordinator.state.topic.min.isr': '1',
    'group.initial.rebalance.delay.ms': '0',
    'group.min.session.timeout.ms': '1000',
    'auto.create.topics.enable': 'false',
  })
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
};

const tlsProperties = (
  { certificate, key }: BrokerIdentity,
  credentials: BrokerCredentials,
): Readonly<Record<string, string>> => ({
  'listener.name.tls.sasl.enabled.mechanisms': 'PLAIN',
  'listener.name.tls.plain.sasl.jaas.config': plainLogin(credentials),
  'listener.name.tls.ssl.keystore.type': 'PEM',
  'listener.name.tls.ssl.keystore.certificate.chain': oneLine(certificate),
  'listener.name.tls.ssl.keystore.key': oneLine(key),
});

const oneLine = (text: string): string => text.trim().replaceAll('\n', String.raw`\n`);

export const LOG4J_PROPERTIES = `
rootLogger.level = warn
rootLogger.appenderRef.stdout.ref = stdout
appender.stdout.type = Console
appender.stdout.name = stdout
appender.stdout.layout.type = PatternLayout
appender.stdout.layout.pattern = %d{HH:mm:ss.SSS} %p %c{1} %m%n
`;
