import { expect, test } from 'bun:test';
import { eventually } from '../../../test/processes.ts';
import { readActivity } from './process-activity.ts';

test.if(process.platform === 'linux')('a process that computes uses the CPU; one that sleeps or was stopped does nothing', async () => {
  const computing = Bun.spawn([process.execPath, '-e', 'for (;;);']);
  const sleeping = Bun.spawn(['sleep', '60']);
  try {
    const began = readActivity(computing.pid)?.cpuTime ?? 0;
    await eventually(
      () => readActivity(computing.pid),
      (now) => now?.isBusy === true && now.cpuTime > began,
    );
    await eventually(
      () => readActivity(sleeping.pid),
      (now) => now?.isBusy === false,
    );
    computing.kill('SIGSTOP');
    const stopped = await eventually(
      () => readActivity(computing.pid),
      (now) => now?.isBusy === false,
    );
    expect(readActivity(computing.pid)).toEqual(stopped);
  } finally {
    computing.kill('SIGKILL');
    sleeping.kill('SIGKILL');
  }
  await computing.exited;
  expect(readActivity(computing.pid)).toBeUndefined();
});
