/** Runs the requests of all webhooks. `owner`: the API key of the webhook; undefined: the operator. */
export type RequestSlots = (owner: string | undefined, request: () => Promise<void>) => void;

/**
 * Runs at most `count` requests at a time, and at most `countOfKey` of one API key: receivers that are slow do not delay those of other keys.
 * Within these limits requests start in the order of the calls. A request must not reject.
 */
export function createRequestSlots(count: number, countOfKey: number): RequestSlots {
  const waiting: { readonly owner: string | undefined; readonly request: () => Promise<void> }[] = [];
  /** The owners of running requests. */
  const running: (string | undefined)[] = [];

  const mayStart = (owner: string | undefined): boolean =>
    running.length < count && (owner === undefined || running.filter((one) => one === owner).length < countOfKey);
  const startNext = (): void => {
    const at = waiting.findIndex(({ owner }) => mayStart(owner));
    const [next] = at < 0 ? [] : waiting.splice(at, 1);
    if (next === undefined) return;
    running.push(next.owner);
    void next.request().finally(() => {
      running.splice(running.indexOf(next.owner), 1);
      startNext();
    });
  };
  return (owner, request) => {
    waiting.push({ owner, request });
    startNext();
  };
}
