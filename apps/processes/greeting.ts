import { type Bootstrap } from '../composition/bootstrap.js';
import { type Gateway } from './gateway.process.js';

const MODEL = 'quipu/nano';

/** The credentials, shown only once, and a command to try. */
const firstGreeting = (
  url: string,
  { username, password, api_key: apiKey }: Bootstrap,
  file: string,
): string => `
Quipu is ready at ${url} (API documents: ${url}/docs)

An account was created, with 10 USD of credit. Its credentials are in ${file}
and are not shown again:

  user      ${username}
  password  ${password}
  API key   ${apiKey}

Try it:

  curl ${url}/v1/chat/completions \\
    -H 'Authorization: Bearer ${apiKey}' \\
    -H 'Content-Type: application/json' \\
    -d '{"model":"${MODEL}","messages":[{"role":"user","content":"What is Quipu?"}]}'

and see it metered:

  curl -H 'Authorization: Bearer ${apiKey}' ${url}/api/v1/billing/overview.php

`;

/** The output of a start. A first start also prints the credentials. */
export const greetingOf = ({ url, bootstrap, bootstrapFile }: Gateway): string =>
  bootstrap ? firstGreeting(url, bootstrap, bootstrapFile) : `Quipu is ready at ${url}\n`;
