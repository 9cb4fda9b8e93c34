import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ContainerEngine } from './container.engine.js';
import { RentalEngines } from './rental-engines.js';
import { rentalEngineContract } from './rental-engine.contract.js';

/**
 * Stands for docker: it takes their command line, and runs the program of a container as a process
 * of this machine, in the folder of its volume. What it was called with is in `calls`.
 */
const SCRIPT = `#!/bin/bash
here="$(dirname "$0")"
printf '%s\\n' "$*" >> "$here/calls"
case "$1" in
  info) exit 0 ;;
  run)
    shift
    while [[ "$1" == --* ]]; do
      case "$1" in
        --name) name="$2"; shift 2 ;;
        --env) export "$2"; shift 2 ;;
        --volume) cd "\${2%%:*}"; shift 2 ;;
        --rm|--init) shift ;;
        *) shift 2 ;;
      esac
    done
    shift
    setsid "$@" & echo $! > "$here/$name"
    wait $!; code=$?; rm -f "$here/$name"; exit $code ;;
  stop) pid=$(cat "$here/$4") && kill -TERM -- -$pid
    for _ in $(seq $(($3 * 100))); do kill -0 -- -$pid 2>/dev/null || exit 0; sleep 0.01; done
    kill -KILL -- -$pid ;;
  rm) pid=$(cat "$here/$3" 2>/dev/null) && kill -KILL -- -$pid ;;
esac
`;

const scripted = async (folder: string): Promise<string> => {
  const program = path.join(folder, 'scripted-engine');
  await writeFile(program, SCRIPT);
  await chmod(program, 0o755);
  return program;
};

rentalEngineContract('container', async (folder) => {
  return new ContainerEngine({ program: await scripted(folder), image: 'debian', identity: [] });
});

describe('a rental in a container', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'rental-container-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  it('has its ports, its workspace, no privileges and its limits', async () => {
    const engine = new ContainerEngine({
      program: await scripted(folder),
      image: 'debian',
      identity: ['--user', '7:7'],
    });
    const { exited } = await engine.start({
      rentalId: 'r1',
      command: ['/bin/echo', '--network', 'host'],
      environment: { A: 'b c' },
      image: 'acme/gpu:1',
      firstPort: 20_100,
      lastPort: 20_199,
      limits: { memoryBytes: 1_024, cpus: 2, processes: 64 },
      workspace: folder,
      stateFile: path.join(folder, 'program.json'),
      onOutput: () => undefined,
    });
    expect(await exited).toEqual({ exitCode: 0, signal: null });
    expect(await readFile(path.join(folder, 'calls'), 'utf8')).toBe(
      'run --rm --init --name quipu-rental-r1 --user 7:7 --cap-drop ALL ' +
        '--security-opt no-new-privileges ' +
        '--memory 1024b --memory-swap 1024b --cpus 2 --pids-limit 64 ' +
        `--publish 20100-20199:20100-20199 --volume ${folder}:/workspace --workdir /workspace ` +
        '--env A=b c --env QUIPU_RENTAL_ID=r1 --env QUIPU_FIRST_PORT=20100 ' +
        '--env QUIPU_LAST_PORT=20199 acme/gpu:1 /bin/echo --network host\n',
    );
  });

  it('is refused, with what to do, where no engine answers', async () => {
    const program = path.join(folder, 'absent') as 'docker';
    const engines = new RentalEngines({ engine: program, image: 'debian', cgroup: null });
    await expect(engines.pick()).rejects.toMatchObject({
      code: 'rental_engine_missing',
      message: expect.stringContaining('QUIPU_RENTAL_ENGINE=process'),
    });
  });

  it('is picked where an engine answers, and a process where the settings say so', async () => {
    const program = (await scripted(folder)) as 'docker';
    const settings = { image: 'debian', cgroup: null };
    const container = new RentalEngines({ ...settings, engine: program });
    expect((await container.pick()).kind).toBe('container');
    expect((await new RentalEngines({ ...settings, engine: 'process' }).pick()).kind).toBe(
      'process',
    );
  });
});
