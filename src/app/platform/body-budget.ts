/** Limits the total bytes of request bodies that a server holds in memory, over all its connections. */
export type BodyBudget = {
  /** Takes bytes from the budget. Returns false and takes none if not enough are left. */
  readonly tryTake: (bytes: number) => boolean;
  readonly giveBack: (bytes: number) => void;
};

export function createBodyBudget(max: number): BodyBudget {
  let left = max;
  return {
    tryTake: (bytes) => {
      if (bytes > left) return false;
      left -= bytes;
      return true;
    },
    giveBack: (bytes) => {
      left += bytes;
    },
  };
}
