import type { Id } from '../../base/bytes/id.ts';

/** Work that waits for blocks: for a parent to be issued, or for the blocks that a vote names. The block issuer ends the wait. AvalancheGo: snow/engine/snowman/job. */
export type WaitingJobs = ReturnType<typeof createWaitingJobs>;

type Job = { readonly run: (isAbandoned: boolean) => void; unresolved: number; isAbandoned: boolean };

export function createWaitingJobs() {
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
    /** Runs the job when all blocks are fulfilled or abandoned; at once if there are none. */
    schedule: (run: (isAbandoned: boolean) => void, blocks: readonly Id[]) => {
      if (blocks.length === 0) return run(false);
      const job: Job = { run, unresolved: blocks.length, isAbandoned: false };
      for (const block of blocks) {
        const jobs = jobsOf.get(block);
        if (jobs === undefined) jobsOf.set(block, [job]);
        else jobs.push(job);
      }
    },
    /** The block was issued. */
    fulfill: (block: Id): void => resolve(block, false),
    /** The block will not be issued for now. */
    abandon: (block: Id): void => resolve(block, true),
    /** Number of blocks that jobs wait for. */
    count: (): number => jobsOf.size,
  };
}
