import { existsSync } from 'node:fs';
import { runWithProgress } from '../src/app/node/data-files.ts';
import { createEnv } from '../src/app/platform/runtime-env.ts';
import { connectToSupervisor } from '../src/app/processes/hosted-readers.ts';
import { createLog } from '../src/base/log/log.ts';

/**
 * A writer process that begins with synchronous work, during which it cannot answer pings. The work ends when the file of its first argument
 * exists; after 20 s the process exits with code 1.
 */

const [, , file = ''] = process.argv;

function* work(): Generator<{ readonly done: number; readonly total: number }, void> {
  const total = 400;
  for (let done = 0; !existsSync(file); done++) {
    if (done === total) process.exit(1);
    Bun.sleepSync(50);
    yield { done, total };
  }
}

const log = createLog(
  () => {},
  () => 'info',
);
const own = createEnv({ version: '', log });
const hosted = connectToSupervisor(own.parent as NonNullable<typeof own.parent>, { restarts: 1 }, () => {}, own);
runWithProgress(work(), { ...own, ...hosted });
hosted.supervisor.ready(1);
