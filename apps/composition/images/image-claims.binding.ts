import { type AuditLog } from '#areas/audit/audit-log.js';
import { ImageClaims, type LogPlace } from '#areas/images/ports.js';
import { DomainError } from '#platform/kernel/domain-error.js';

/** Claims are signed with the key of the transparency log. */
export class LoggedImageClaims extends ImageClaims {
  /** @param log absent in a process without the area */
  constructor(private readonly log: AuditLog | undefined) {
    super();
  }

  override async place(): Promise<LogPlace | null> {
    try {
      const { size, root } = await this.#audited().checkpoint();
      return { size, root: root.toString('base64') };
    } catch (error) {
      if (error instanceof DomainError && error.code === 'audit_not_ready') return null;
      throw error;
    }
  }

  override sign(text: string): string {
    return this.#audited().sign(text);
  }

  #audited(): AuditLog {
    if (!this.log) throw new Error('this process does not have the area audit');
    return this.log;
  }
}
