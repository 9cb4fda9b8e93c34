import { z } from 'zod';
import { defineSettings, variable } from '#platform/runtime/areas/settings.js';
import { type AllowedHost, allowedHostOf } from './http/allowed-hosts.js';

export interface HttpToolSettings {
  /** Empty: no host may be called. */
  readonly hosts: readonly AllowedHost[];
}

export const HTTP_TOOL_SETTINGS = Symbol('HttpToolSettings');
export const HOSTS_SETTING = 'QUIPU_HTTP_TOOL_HOSTS';

const Hosts = z
  .string()
  .default('')
  .transform((text, context) =>
    text
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '')
      .flatMap((entry) => {
        const host = allowedHostOf(entry);
        if (!host) context.addIssue({ code: 'custom', message: `${entry} is no host` });
        return host ?? [];
      }),
  );

export const httpToolSettings = defineSettings({
  token: HTTP_TOOL_SETTINGS,
  variables: {
    QUIPU_HTTP_TOOL_HOSTS: variable(
      Hosts,
      'hosts that the tool `http` of workflows may call, such as ' +
        '`api.example.org,*.example.net:8443,private:intranet.local`; empty: none',
    ),
  },
  read: ({ QUIPU_HTTP_TOOL_HOSTS: hosts }): HttpToolSettings => ({ hosts }),
});
