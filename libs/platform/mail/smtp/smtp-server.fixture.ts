import { createServer, type Socket } from 'node:net';
import { type AddressInfo } from 'node:net';

/** A mail as the server got it. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface SmtpServer {
  readonly url: string;
  readonly received: readonly ReceivedMail[];
  close(): Promise<void>;
}

/** To all other commands: 250. */
const ANSWERS: Readonly<Record<string, string>> = {
  EHLO: '250 localhost',
  DATA: '354 go ahead',
  QUIT: '221 bye',
};
const ADDRESS = /<([^<>\s]*)>/;

/** SMTP as RFC 5321 asks of the smallest server. It rejects `no@example.com`. */
export const startSmtpServer = async (): Promise<SmtpServer> => {
  const received: ReceivedMail[] = [];
  const server = createServer((socket) => {
    serve(socket, (mail) => received.push(mail));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
};

const serve = (socket: Socket, onMail: (mail: ReceivedMail) => void): void => {
  let rest = '';
  let from = '';
  let to: string[] = [];
  let content: string[] | null = null;
  const answer = (line: string): void => void socket.write(`${line}\r\n`);
  const take = (line: string): void => {
    if (content && line === '.') {
      onMail({ from, to, ...parsed(content) });
      content = null;
      answer('250 OK');
    } else if (content) content.push(line.replace(/^\./, ''));
    else command(line);
  };
  const command = (line: string): void => {
    const address = ADDRESS.exec(line)?.[1] ?? '';
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === 'RCPT' && address === 'no@example.com') {
      answer('550 no such mailbox no@example.com');
      return;
    }
    if (verb === 'MAIL') [from, to] = [address, []];
    if (verb === 'RCPT') to.push(address);
    if (verb === 'DATA') content = [];
    answer(ANSWERS[verb] ?? '250 OK');
    if (verb === 'QUIT') socket.end();
  };
  socket.setEncoding('utf8');
  socket.on('error', () => undefined);
  socket.on('data', (piece: string) => {
    const lines = (rest + piece).split('\r\n');
    rest = lines.pop() ?? '';
    lines.forEach(take);
  });
  answer('220 localhost');
};

const parsed = (lines: readonly string[]): Pick<ReceivedMail, 'headers' | 'text'> => {
  const end = lines.indexOf('');
  const unfolded = lines
    .slice(0, end)
    .join('\n')
    .replaceAll(/\n[ \t]+/g, ' ');
  const headers = Object.fromEntries(
    unfolded.split('\n').map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const encoded = lines.slice(end + 1).join('\n');
  const encoding = headers['content-transfer-encoding'];
  if (encoding === 'base64') return { headers, text: Buffer.from(encoded, 'base64').toString() };
  return { headers, text: encoding === 'quoted-printable' ? unquoted(encoded) : encoded };
};

const unquoted = (text: string): string =>
  decodeURIComponent(text.replaceAll('=\n', '').replaceAll('%', '%25').replaceAll('=', '%'));
