import { type Mail, Mailer, MailError } from '../mailer.js';

export interface SmtpOptions {
  /** `smtp://` (STARTTLS where the server offers it) or `smtps://`, with credentials in it. */
  readonly url: string;
  /** The sender. */
  readonly from: string;
}

const TIMEOUT_MS = 15_000;
const ONE_ADDRESS = /^[^\s,;<>"@]+@[^\s,;<>"@]+$/;

/** Sends each mail over a connection of its own: there are few. */
export class SmtpMailer extends Mailer {
  override readonly isSet: boolean;

  constructor(private readonly options: SmtpOptions | null) {
    super();
    this.isSet = options !== null;
  }

  override async send({ to, subject, text, id }: Mail): Promise<void> {
    if (!this.options) throw new MailError('QUIPU_SMTP_URL is not set');
    if (!ONE_ADDRESS.test(to)) throw new MailError('a mail has one address');
    const { url, from } = this.options;
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({
      url,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    try {
      await transport.sendMail({
        from,
        to,
        subject,
        text,
        ...(id !== undefined && { messageId: `<${id}@quipu>` }),
      });
    } catch (error) {
      throw new MailError(`the mail server did not take the mail: ${reasonOf(error)}`, {
        cause: error,
      });
    } finally {
      transport.close();
    }
  }
}

/** The codes of the library and of the server; its texts may repeat addresses. */
const reasonOf = (error: unknown): string => {
  const { code, responseCode } = error as {
    readonly code?: string;
    readonly responseCode?: number;
  };
  return [code ?? 'failed', ...(responseCode === undefined ? [] : [responseCode])].join(' ');
};
