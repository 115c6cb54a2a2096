import type { Id } from '../../base/bytes/id.ts';

/** Work that waits for blocks: for a parent to be issued, or for the blocks that a vote names. AvalancheGo: snow/engine/snowman/job. */
export type WaitingJobs = {
  /** Runs the job when all blocks are fulfilled or abandoned; at once if there are none. */
  readonly schedule: (run: (isAbandoned: boolean) => void, blocks: readonly Id[]) => void;
  /** The block was issued. */
  readonly fulfill: (block: Id) => void;
  /** The block will not be issued for now. */
  readonly abandon: (block: Id) => void;
  /** Number of blocks that jobs wait for. */
  readonly count: () => number;
};

type Job = { readonly run: (isAbandoned: boolean) => void; unresolved: number; isAbandoned: boolean };

export function createWaitingJobs(): WaitingJobs {
  const jobsOf = new Map<Id, Job[]>();
  /** Blocks whose jobs are still to run. A list, not recursion: abandoning one block may abandon thousands of descendants. */
  const resolved: { readonly block: Id; readonly isAbandoned: boolean }[] = [];
  let isRunning = false;

  const runResolved = (): void => {
    if (isRunning) return;
    isRunning = true;
    try {
      for (let next = resolved.shift(); next !== undefined; next = resolved.shift()) {
        const jobs = jobsOf.get(next.block) ?? [];
        jobsOf.delete(next.block);
        for (const job of jobs) {
          job.unresolved--;
          job.isAbandoned ||= next.isAbandoned;
          if (job.unresolved === 0) job.run(job.isAbandoned);
        }
      }
    } finally {
      isRunning = false;
    }
  };
  const resolve = (block: Id, isAbandoned: boolean): void => {
    if (!jobsOf.has(block)) return;
    resolved.push({ block, isAbandoned });
    runResolved();
  };

  return {
    schedule: (run, blocks) => {
      if (blocks.length === 0) return run(false);
      const job: Job = { run, unresolved: blocks.length, isAbandoned: false };
      for (const block of blocks) {
        const jobs = jobsOf.get(block);
        if (jobs === undefined) jobsOf.set(block, [job]);
        else jobs.push(job);
      }
    },
    fulfill: (block) => resolve(block, false),
    abandon: (block) => resolve(block, true),
    count: () => jobsOf.size,
  };
}
