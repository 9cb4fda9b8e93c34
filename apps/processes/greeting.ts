import { type Bootstrap } from '../composition/bootstrap.js';
import { type Gateway } from './gateway.process.js';

/** A command to try. Where the output may be stored, the credentials are in their file only. */
const firstGreeting = (
  url: string,
  { username, password, api_key: apiKey }: Bootstrap,
  file: string,
  model: string | null,
  isTerminal: boolean,
): string => {
  const credentials = isTerminal
    ? `. Its credentials are in ${file}
and are not shown again:

  user      ${username}
  password  ${password}
  API key   ${apiKey}

The key has every scope. Issue narrower keys for programs.
`
    : `. Its credentials are in
${file}
`;
  const key = isTerminal ? apiKey : '$KEY';
  const readKey = `\n  KEY=$(sed -n 's/.*"api_key": "\\(.*\\)".*/\\1/p' '${file}')\n`;
  const chat = `curl ${url}/v1/chat/completions \\
    -H "Authorization: Bearer ${key}" \\
    -H 'Content-Type: application/json' \\
    -d '{"model":"${model}","messages":[{"role":"user","content":"What is Quipu?"}]}'`;
  const models = `curl -H "Authorization: Bearer ${key}" ${url}/v1/models`;
  return `
Quipu is ready at ${url} (console: ${url}/console, API documents: ${url}/docs)

An account was created, with 10 USD of credit${credentials}
Try it:
${isTerminal ? '' : readKey}
  ${model === null ? models : chat}

and see it metered:

  curl -H "Authorization: Bearer ${key}" ${url}/api/v1/billing/overview.php

`;
};

/**
 * The output of a start. A first start also says where the credentials are.
 * @param model a model of the running catalog that answers chats, if there is one
 * @param isTerminal whether the output is a terminal, which shows the credentials; a container, a
 *   service or a pipe may store what it gets
 */
export const greetingOf = (
  { url, bootstrap, bootstrapFile }: Pick<Gateway, 'url' | 'bootstrap' | 'bootstrapFile'>,
  model: string | null,
  isTerminal: boolean,
): string =>
  bootstrap
    ? firstGreeting(url, bootstrap, bootstrapFile, model, isTerminal)
    : `Quipu is ready at ${url}\n`;
