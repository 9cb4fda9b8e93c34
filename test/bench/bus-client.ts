/** The packages that speak to Kafka, as reports and topics call them. */
export const CLIENTS = ['kafkajs', 'platformatic'] as const;
export type Client = (typeof CLIENTS)[number];

const SCHEMES: Readonly<Record<Client, string>> = {
  kafkajs: 'kafka:',
  platformatic: 'kafka+platformatic:',
};

/** @param prefix before all topics, so that clients do not receive each other's messages */
export const busUrlOf = (kafkaUrl: string, client: Client, prefix: string): string =>
  `${kafkaUrl.replace('kafka:', SCHEMES[client])}?prefix=${prefix}`;
