/** Open resources, closed in reverse order. An error while closing one does not stop the others from being closed. */
export type CloseStack = {
  readonly add: (close: Close) => void;
  /** Adds a group of resources that are closed concurrently; returns the function that adds a resource to the group. */
  readonly addGroup: () => (close: Close) => void;
  /** Closes everything once. Every call returns the same promise, which rejects with the first error; other errors are reported. */
  readonly close: () => Promise<void>;
};

type Close = () => void | Promise<void>;

export function createCloseStack(report: (error: unknown) => void): CloseStack {
  const groups: Close[][] = [];
  let closed: Promise<void> | undefined;

  const closeAll = async (): Promise<void> => {
    const errors: unknown[] = [];
    for (const group of groups.splice(0).reverse()) {
      const results = await Promise.allSettled(group.map(async (close) => close()));
      for (const result of results) if (result.status === 'rejected') errors.push(result.reason);
    }
    const [first, ...others] = errors;
    for (const error of others) report(error);
    if (errors.length > 0) throw first;
  };

  return {
    add: (close) => void groups.push([close]),
    addGroup: () => {
      const group: Close[] = [];
      groups.push(group);
      return (close) => void group.push(close);
    },
    close: () => {
      closed ??= closeAll();
      return closed;
    },
  };
}
