import { goProgram } from '../go-program.js';

/** The program of the server. @throws Error with the output of Go */
export const ferretDbProgram = (): Promise<string> =>
  goProgram({
    name: 'ferretdb',
    folder: 'test/servers/mongodb/ferretdb',
    files: ['main.go', 'go.mod', 'go.sum'],
    package: '.',
  });
