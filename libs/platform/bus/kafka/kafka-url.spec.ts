import { describe, expect, it } from '@jest/globals';
import { readKafkaUrl } from './kafka-url.js';

describe('the URL of Kafka', () => {
  it('names brokers and the client', () => {
    const target = { client: 'kafkajs', brokers: ['one:9092', '10.0.0.2:19092'], ssl: false };
    expect(readKafkaUrl('kafka://one,10.0.0.2:19092')).toEqual(target);
    const url = 'kafka+platformatic://one:9092,10.0.0.2:19092/?ssl=false';
    expect(readKafkaUrl(url)).toEqual({ ...target, client: 'platformatic' });
    expect(readKafkaUrl('kafka://[::1]:9094')).toMatchObject({ brokers: ['[::1]:9094'] });
  });

  it('takes credentials, percent-encoded', () => {
    expect(readKafkaUrl('kafka://quipu:p%40ss:w@one?ssl=true')).toMatchObject({
      ssl: true,
      sasl: { mechanism: 'plain', username: 'quipu', password: 'p@ss:w' },
    });
    expect(readKafkaUrl('kafka://quipu:word@one?mechanism=scram-sha-512')).toMatchObject({
      ssl: false,
      sasl: { mechanism: 'scram-sha-512' },
    });
  });

  it('takes a prefix as the name of the installation', () => {
    expect(readKafkaUrl('kafka://one?prefix=acme-2')).toMatchObject({ prefix: 'acme-2' });
    expect(readKafkaUrl('kafka://one')).not.toHaveProperty('prefix');
  });

  it('takes the session timeout of consumers', () => {
    expect(readKafkaUrl('kafka://one?session_ms=6000')).toMatchObject({ sessionTimeoutMs: 6_000 });
    expect(readKafkaUrl('kafka://one')).not.toHaveProperty('sessionTimeoutMs');
  });

  it.each([
    ['', 'it takes kafka://host:port'],
    ['one:9092', 'it takes kafka://host:port'],
    ['http://one:9092', 'it takes kafka://host:port'],
    ['toString://one:9092', 'it takes kafka://host:port'],
    ['kafka://', '"" is not host:port'],
    ['kafka://one,,two', '"" is not host:port'],
    ['kafka://one:0', '"one:0" is not host:port'],
    ['kafka://one:65536', '"one:65536" is not host:port'],
    ['kafka://one/topic', 'it takes kafka://host:port'],
    ['kafka://one?ssl=yes', 'ssl is true or false'],
    ['kafka://one?tls=true', 'it has no option tls'],
    ['kafka://one?prefix=', 'prefix is a letter, then up to 31 of a-z 0-9 -'],
    ['kafka://one?prefix=a.b', 'prefix is a letter'],
    [`kafka://one?prefix=${'p'.repeat(33)}`, 'prefix is a letter'],
    ['kafka://one?session_ms=999', 'session_ms is a number of milliseconds, 1000 to 300000'],
    ['kafka://one?session_ms=300001', 'session_ms is'],
    ['kafka://one?session_ms=6e3', 'session_ms is'],
    ['kafka://one?session_ms=', 'session_ms is'],
    ['kafka://one?mechanism=plain', 'a mechanism needs user:password@'],
    ['kafka://quipu:secret@one?ssl=true&mechanism=gssapi', 'mechanism is one of'],
    ['kafka://quipu:secret@one', 'it takes ssl=true'],
    ['kafka://quipu@one?ssl=true', 'credentials are user:password'],
    ['kafka://quipu:%zz@one?ssl=true', 'credentials are user:password'],
    ['kafka://quipu:@one?ssl=true', 'credentials are user:password'],
  ])('rejects %j', (url, detail) => {
    const read = () => readKafkaUrl(url);
    expect(read).toThrow(detail);
    expect(read).toThrow(expect.objectContaining({ name: 'BusError', code: 'invalid-options' }));
    expect(read).not.toThrow('secret');
  });
});
