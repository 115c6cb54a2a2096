/** How long the phases of a start took: what runs one after the other until a node is ready. */
export type StartPhases = {
  /** Ends a phase, which began when the one before ended. */
  readonly end: (phase: string) => void;
  /** `ready in 290 ms: program 150, database 60, …` */
  readonly format: () => string;
};

/** `now`: monotonic milliseconds, 0 at the start of the process. Everything until this call is the phase `program`: loading it, and its flags. */
export function createStartPhases(now: () => number): StartPhases {
  let phases = '';
  let last = 0;
  const end = (phase: string): void => {
    const at = now();
    phases += `${phases === '' ? '' : ', '}${phase} ${Math.round(at - last)}`;
    last = at;
  };
  end('program');
  return {
    end,
    format: () => `ready in ${Math.round(last)} ms: ${phases}`,
  };
}
