import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ServerSentEvents } from './server-sent-events.js';

const read = (...parts: readonly (string | Buffer)[]): string[] => {
  const data: string[] = [];
  const events = new ServerSentEvents((event) => data.push(event), 65_536);
  for (const part of parts) events.push(Buffer.from(part));
  events.end();
  return data;
};

describe('ServerSentEvents', () => {
  it('reads the data of each event', () => {
    expect(read('data: one\n\ndata: two\n\n')).toEqual(['one', 'two']);
  });

  it('ends lines with LF, CRLF and CR', () => {
    expect(read('data: one\r\n\r\ndata: two\r\rdata: three\n\n')).toEqual(['one', 'two', 'three']);
  });

  it('joins several data lines of one event by LF', () => {
    expect(read('data: one\ndata:two\ndata\ndata: \n\n')).toEqual(['one\ntwo\n\n']);
  });

  it('ignores comments, other fields and fields that only begin alike', () => {
    const text = ': keep-alive\n\nevent: message\nid: 7\nretry: 10\ndatabase: x\ndata: one\n\n';
    expect(read(text)).toEqual(['one']);
  });

  it('removes one space after the colon and no more', () => {
    expect(read('data:  one\n\n')).toEqual([' one']);
  });

  it('drops a byte order mark at the start only', () => {
    expect(read('\ufeffdata: one\n\n\ufeffdata: two\n\n')).toEqual(['one']);
  });

  it('counts an event without its empty line when the response ends', () => {
    expect(read('data: one\n\ndata: [DONE]')).toEqual(['one', '[DONE]']);
  });

  it('reads the same however the bytes are cut', () => {
    const bytes = Buffer.from(
      ': hé\r\n\r\ndata: {"a":"ñ 漢 🧶"}\r\n\r\ndata: x\rdata: y\n\ndata: z\r\r',
    );
    const whole = ['{"a":"ñ 漢 🧶"}', 'x\ny', 'z'];
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      expect(read(bytes.subarray(0, cut), bytes.subarray(cut))).toEqual(whole);
    }
    expect(read(...[...bytes].map((byte) => Buffer.of(byte)))).toEqual(whole);
  });

  it('reads the same for any events, line ends and cuts', () => {
    const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
    // A line break inside a line would be another line.
    const line = fc.string({ unit: 'binary' }).map((text) => text.replace(/[\r\n]/g, '·'));
    const event = fc.tuple(fc.array(line, { minLength: 1, maxLength: 3 }), lineEnd);
    const events = fc.array(event, { maxLength: 6 });
    fc.assert(
      fc.property(events, fc.array(fc.nat(400), { maxLength: 12 }), (sent, at) => {
        const text = sent.map(([lines, end]) =>
          [...lines.map((data) => `data: ${data}`), '', ''].join(end),
        );
        const bytes = Buffer.from(text.join(''));
        const cuts = [0, ...at.sort((a, b) => a - b), bytes.length];
        const parts = cuts.slice(1).map((cut, index) => bytes.subarray(cuts[index], cut));
        expect(read(...parts)).toEqual(sent.map(([lines]) => decoded(lines.join('\n'))));
      }),
    );
  });

  describe('at its limit', () => {
    const reading = (charactersMax: number) => {
      const data: string[] = [];
      const events = new ServerSentEvents((event) => data.push(event), charactersMax);
      const push = (text: string): boolean => {
        events.push(Buffer.from(text));
        return events.isTooLong;
      };
      return { events, data, push };
    };

    it('takes any number of finished events', () => {
      const { data, push } = reading(8);
      expect(push('data: one\n\n'.repeat(100))).toBe(false);
      expect(data).toHaveLength(100);
    });

    it('finds a line too long while it is unfinished', () => {
      const { push } = reading(8);
      expect(push('data: one\n\ndata: tw')).toBe(false);
      expect(push('o')).toBe(true);
    });

    it('finds an event of many lines too long', () => {
      const { push } = reading(8);
      expect(push('data: one\n')).toBe(false);
      expect(push('data: two\n')).toBe(false);
      expect(push('data: three\n')).toBe(true);
    });

    it('parses nothing after that', () => {
      const { events, data, push } = reading(8);
      push('data: 123456');
      expect(push('\n\ndata: two\n\n')).toBe(true);
      events.end();
      expect(data).toEqual([]);
    });
  });
});

/** Lone surrogates do not survive UTF-8. */
const decoded = (text: string): string => Buffer.from(text).toString();
