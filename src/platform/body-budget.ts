/** Bytes of request bodies that a server may hold at once, over all its connections. */
export type BodyBudget = {
  /** Takes bytes out of the budget; false, and nothing taken, if there are not as many left. */
  readonly take: (bytes: number) => boolean;
  readonly give: (bytes: number) => void;
};

export function createBodyBudget(max: number): BodyBudget {
  let left = max;
  return {
    take: (bytes) => {
      if (bytes > left) return false;
      left -= bytes;
      return true;
    },
    give: (bytes) => {
      left += bytes;
    },
  };
}
